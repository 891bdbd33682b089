/** The round buttons of the composer: the one that counts is filled. */
import type { ReactNode } from "react";
import { classNames } from "../common/class-names.ts";

interface RoundButtonProps {
  testId: string;
  label: string;
  icon: ReactNode;
  disabled?: boolean;
  quiet?: boolean;
  onClick: () => void;
}

export function RoundButton({ testId, label, icon, disabled = false, quiet = false, onClick }: RoundButtonProps) {
  return (
    <button
      type="button"
      data-testid={testId}
      data-wash
      aria-label={label}
      title={label}
      disabled={disabled}
      onClick={onClick}
      className={classNames(
        "inline-flex size-7 shrink-0 items-center justify-center rounded-full transition-opacity focus-visible:rounded-full disabled:bg-sunken disabled:text-soft",
        quiet ? "bg-sunken text-ink hover:not-disabled:bg-line" : "bg-accent text-on-accent hover:not-disabled:opacity-90",
      )}
    >
      {icon}
    </button>
  );
}
