/** A square button that shows an icon and says its label to readers and on hover. */
import type { ComponentProps, ReactNode } from "react";
import { classNames } from "./class-names.ts";

interface IconButtonProps extends Omit<ComponentProps<"button">, "children"> {
  label: string;
  icon: ReactNode;
  /** It leads to what is shown now, or holds something down. */
  pressed?: boolean | undefined;
}

export function IconButton({ label, icon, pressed, className, ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      aria-pressed={pressed}
      className={classNames(
        "inline-flex size-7 shrink-0 items-center justify-center rounded-md text-soft transition-colors hover:not-disabled:bg-sunken hover:not-disabled:text-ink disabled:cursor-default disabled:opacity-50 aria-pressed:bg-sunken aria-pressed:text-ink",
        className,
      )}
      {...rest}
    >
      {icon}
    </button>
  );
}
