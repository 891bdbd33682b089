/** The one round button of the composer: sends, or stops. */
import type { ReactNode } from "react";

interface RoundButtonProps {
  testId: string;
  label: string;
  icon: ReactNode;
  disabled: boolean;
  onClick: () => void;
}

export function RoundButton({ testId, label, icon, disabled, onClick }: RoundButtonProps) {
  return (
    <button
      type="button"
      data-testid={testId}
      data-wash
      aria-label={label}
      title={label}
      disabled={disabled}
      onClick={onClick}
      className="inline-flex size-7 shrink-0 items-center justify-center rounded-full bg-accent text-on-accent transition-opacity hover:not-disabled:opacity-90 focus-visible:rounded-full disabled:bg-sunken disabled:text-soft"
    >
      {icon}
    </button>
  );
}
