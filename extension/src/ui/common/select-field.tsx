/** A labelled choice of one, in the system's own menu. */
import { type ReactNode, useId } from "react";

interface SelectFieldProps<Value extends string> {
  label: string;
  hint?: ReactNode;
  testId: string;
  value: Value;
  choices: readonly { readonly value: Value; readonly title: string }[];
  onChoose: (value: Value) => void;
}

export function SelectField<Value extends string>({ label, hint, testId, value, choices, onChoose }: SelectFieldProps<Value>) {
  const id = useId();
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <label htmlFor={id} className="text-xs font-medium">{label}</label>
      <select id={id} data-testid={testId} value={value} aria-describedby={hint ? `${id}-note` : undefined} onChange={(event) => onChoose(event.target.value as Value)} className="h-8 w-full min-w-0 rounded-md border border-edge bg-surface px-2 text-sm">
        {choices.map((choice) => <option key={choice.value} value={choice.value}>{choice.title}</option>)}
      </select>
      {hint ? <p id={`${id}-note`} className="text-xs text-soft">{hint}</p> : null}
    </div>
  );
}
