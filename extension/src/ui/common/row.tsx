/** One line of a list: what it is, what is said of it, and what can be done with it. */
import type { ReactNode } from "react";

interface RowProps {
  title: ReactNode;
  hint?: ReactNode;
  badges?: ReactNode;
  actions?: ReactNode;
  testId?: string;
  id?: string;
}

/** The frame around the lines of one list. */
export function Rows({ children, label }: { children: ReactNode; label?: string }) {
  return <ul aria-label={label} className="divide-y divide-line rounded-lg border border-line bg-surface">{children}</ul>;
}

export function Row({ title, hint, badges, actions, testId, id }: RowProps) {
  return (
    <li data-testid={testId} data-id={id} className="flex min-w-0 items-start gap-2 py-1 pe-2 ps-3">
      <div className="min-w-0 flex-1">
        <div className="flex min-h-7 min-w-0 flex-wrap items-center gap-x-1.5 gap-y-1 py-1"><span className="min-w-0 font-medium break-words">{title}</span>{badges}</div>
        {hint ? <div className="-mt-0.5 pb-1 text-xs break-words text-soft">{hint}</div> : null}
      </div>
      {actions ? <div className="flex shrink-0 items-center gap-0.5">{actions}</div> : null}
    </li>
  );
}
