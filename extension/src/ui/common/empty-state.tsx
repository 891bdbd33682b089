/** What stands where nothing is yet: one sentence, one way on. */
import type { ReactNode } from "react";

export function EmptyState({ icon, title, children }: { icon?: ReactNode; title: string; children?: ReactNode }) {
  return (
    <div className="flex flex-1 flex-col items-center justify-center gap-2 px-6 py-10 text-center">
      {icon ? <span className="text-soft">{icon}</span> : null}
      <p className="text-sm font-medium">{title}</p>
      {children ? <div className="max-w-80 text-xs text-soft">{children}</div> : null}
    </div>
  );
}
