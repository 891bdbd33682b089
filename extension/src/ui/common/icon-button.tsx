/** A square button that shows an icon and says its label to readers and on hover. */
import type { ComponentProps, ReactNode } from "react";
import { classNames } from "./class-names.ts";

interface IconButtonProps extends Omit<ComponentProps<"button">, "children"> {
  label: string;
  icon: ReactNode;
}

export function IconButton({ label, icon, className, ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      className={classNames(
        "inline-flex size-7 shrink-0 items-center justify-center rounded-md text-soft transition-colors hover:not-disabled:bg-sunken hover:not-disabled:text-ink disabled:cursor-default disabled:opacity-50",
        className,
      )}
      {...rest}
    >
      {icon}
    </button>
  );
}
