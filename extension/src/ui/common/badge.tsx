/** A short word with a tone. The tone never stands alone: the word says the same. */
import type { ReactNode } from "react";
import { classNames } from "./class-names.ts";

export type Tone = "neutral" | "accent" | "good" | "warn" | "bad";

const look: Record<Tone, string> = {
  neutral: "bg-chip text-soft",
  accent: "bg-accent-wash text-accent",
  good: "bg-good-wash text-good",
  warn: "bg-warn-wash text-warn",
  bad: "bg-bad-wash text-bad",
};

export function Badge({ tone = "neutral", icon, children }: { tone?: Tone; icon?: ReactNode; children: ReactNode }) {
  return (
    <span
      data-wash
      className={classNames(
        "inline-flex shrink-0 items-center gap-1 rounded-sm px-1.5 text-2xs font-medium whitespace-nowrap tiny:shrink tiny:whitespace-normal",
        look[tone],
      )}
    >
      {icon}
      {children}
    </span>
  );
}
