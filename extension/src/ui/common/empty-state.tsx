/** What stands where nothing is yet: one sentence, one way on. */
import type { ReactNode } from "react";

export function EmptyState({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="flex flex-col items-center gap-2 px-6 py-10 text-center">
      <p className="text-sm font-medium">{title}</p>
      {children ? <div className="text-xs text-soft">{children}</div> : null}
    </div>
  );
}
