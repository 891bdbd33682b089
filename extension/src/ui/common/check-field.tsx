/** A labelled box to tick, with what it means. */
import { type ReactNode, type Ref, useId } from "react";

interface CheckFieldProps {
  ref?: Ref<HTMLInputElement>;
  label: string;
  hint?: ReactNode;
  testId?: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
}

export function CheckField({ ref, label, hint, testId, checked, onChange }: CheckFieldProps) {
  const id = useId();
  return (
    <div className="flex items-start gap-2">
      <input ref={ref} id={id} type="checkbox" data-testid={testId} checked={checked} aria-describedby={hint ? `${id}-note` : undefined} onChange={(event) => onChange(event.target.checked)} className="mt-0.5 size-4 shrink-0 accent-accent" />
      <div className="min-w-0">
        <label htmlFor={id} className="text-xs font-medium">{label}</label>
        {hint ? <p id={`${id}-note`} className="text-xs text-soft">{hint}</p> : null}
      </div>
    </div>
  );
}
