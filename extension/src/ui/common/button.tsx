/** The one button. Four weights: primary (at most one in view), plain, quiet, danger. */
import type { ComponentProps, ReactNode } from "react";
import { classNames } from "./class-names.ts";

export type ButtonWeight = "primary" | "plain" | "quiet" | "danger";

interface ButtonProps extends ComponentProps<"button"> {
  weight?: ButtonWeight;
  icon?: ReactNode;
  /** A key that does the same, shown at the end of the label. */
  hotkey?: string;
  /** Takes nothing for a moment yet, and looks as it will: no button changes its face while one reaches for it. */
  settling?: boolean;
}

const look: Record<ButtonWeight, string> = {
  primary: "bg-accent text-on-accent border-transparent hover:not-disabled:opacity-90",
  plain: "bg-surface text-ink border-line hover:not-disabled:bg-sunken",
  quiet: "bg-transparent text-soft border-transparent hover:not-disabled:bg-sunken hover:not-disabled:text-ink",
  danger: "bg-surface text-bad border-line hover:not-disabled:bg-bad-wash",
};

// What cannot be pressed lies flat, in a colour of its own, instead of showing a washed-out one.
const flat: Record<ButtonWeight, string> = {
  primary: "disabled:border-line disabled:bg-sunken disabled:text-soft",
  plain: "disabled:bg-transparent disabled:text-soft",
  quiet: "disabled:opacity-60",
  danger: "disabled:bg-transparent disabled:text-soft",
};

export function Button({ weight = "plain", icon, hotkey, settling = false, className, children, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      data-weight={weight}
      className={classNames(
        "inline-flex min-h-7 items-center justify-center gap-1.5 rounded-md border px-2.5 text-sm font-medium whitespace-nowrap tiny:whitespace-normal transition-colors disabled:cursor-default",
        look[weight],
        !settling && flat[weight],
        className,
      )}
      {...rest}
    >
      {icon}
      {children}
      {hotkey !== undefined && <Hotkey>{hotkey}</Hotkey>}
    </button>
  );
}

/** The key at the end of a label. */
export function Hotkey({ children }: { children: string }) {
  return <kbd className="text-2xs font-normal uppercase opacity-70">{children}</kbd>;
}
