/** One of a few, side by side; they go to the next line where there is no room. */
import { useId } from "react";
import { classNames } from "./class-names.ts";

export interface Pill<Value> {
  value: Value;
  label: string;
  hint?: string;
  testId?: string;
}

interface PillsProps<Value> {
  label: string;
  /** The label is there for readers alone. */
  hidesLabel?: boolean;
  pills: readonly Pill<Value>[];
  value: Value;
  onChange: (value: Value) => void;
  testId?: string;
}

export function Pills<Value extends string | number | null>({ label, hidesLabel = false, pills, value, onChange, testId }: PillsProps<Value>) {
  const name = useId();
  return (
    <fieldset data-testid={testId} data-value={value ?? ""} className="min-w-0">
      <legend className={hidesLabel ? "sr-only" : "pb-1 text-2xs font-medium text-soft"}>{label}</legend>
      <div className="inline-flex max-w-full flex-wrap gap-0.5 rounded-md bg-sunken p-0.5">
        {pills.map((pill) => (
          <label
            key={String(pill.value)}
            title={pill.hint}
            data-testid={pill.testId}
            data-chosen={pill.value === value}
            className={classNames(
              "relative cursor-pointer rounded-sm px-2 text-xs leading-5.5 font-medium whitespace-nowrap has-focus-visible:outline-2 has-focus-visible:outline-accent",
              pill.value === value ? "bg-surface text-ink ring-1 ring-line" : "text-soft hover:text-ink",
            )}
          >
            <input type="radio" name={name} checked={pill.value === value} onChange={() => onChange(pill.value)} className="absolute inset-0 cursor-pointer opacity-0" />
            {pill.label}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
