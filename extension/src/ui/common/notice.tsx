/** A box that says something happened: an error, a warning, a fact. */
import type { ReactNode } from "react";
import type { Tone } from "./badge.tsx";
import { classNames } from "./class-names.ts";

const look: Record<Tone, string> = {
  neutral: "border-line bg-surface",
  accent: "border-accent/40 bg-accent-wash",
  good: "border-good/40 bg-good-wash",
  warn: "border-warn/40 bg-warn-wash",
  bad: "border-bad/40 bg-bad-wash",
};

interface NoticeProps {
  tone?: Tone;
  icon?: ReactNode;
  title: ReactNode;
  children?: ReactNode;
  actions?: ReactNode;
}

export function Notice({ tone = "neutral", icon, title, children, actions }: NoticeProps) {
  return (
    <div className={classNames("rounded-lg border px-3 py-2.5", look[tone])}>
      <div className="flex items-start gap-2">
        {icon ? <span className="mt-0.5 shrink-0">{icon}</span> : null}
        <div className="min-w-0 flex-1">
          <div className="font-medium">{title}</div>
          {children ? <div className="mt-0.5 text-xs text-soft">{children}</div> : null}
        </div>
      </div>
      {actions ? <div className="mt-2 flex flex-wrap gap-1.5">{actions}</div> : null}
    </div>
  );
}
