/** A named part of an opened tool card. */
import type { ReactNode } from "react";

export function ToolPart({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="min-w-0">
      <h3 className="mb-1 text-2xs font-medium text-soft">{title}</h3>
      {children}
    </section>
  );
}
