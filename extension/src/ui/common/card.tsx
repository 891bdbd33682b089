/** A titled group of settings or facts, with its own acts at its head. */
import { type ReactNode, useId } from "react";

interface CardProps {
  title: string;
  hint?: ReactNode;
  actions?: ReactNode;
  testId?: string;
  children?: ReactNode;
}

export function Card({ title, hint, actions, testId, children }: CardProps) {
  const id = useId();
  return (
    <section aria-labelledby={id} data-testid={testId} className="flex min-w-0 flex-col gap-2">
      <div className="flex flex-wrap items-center justify-between gap-x-2 gap-y-1">
        <h2 id={id} className="text-sm font-semibold">{title}</h2>
        {actions ? <div className="flex flex-wrap gap-1">{actions}</div> : null}
      </div>
      {hint ? <p className="-mt-1 text-xs text-soft">{hint}</p> : null}
      {children}
    </section>
  );
}
