/** What was said elsewhere by a name, under that name: a footnote, the address of a link. */
import type { ReactNode } from "react";

export function MarkdownNote({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex items-baseline gap-1.5 text-xs text-soft">
      <span className="shrink-0 tabular-nums">[{name}]</span>
      <div className="flex min-w-0 flex-1 flex-col gap-1">{children}</div>
    </div>
  );
}
