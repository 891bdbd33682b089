/** One of a few, all in sight: a group of radio buttons that looks like one control. */
import { useId } from "react";
import { classNames } from "./class-names.ts";

interface SegmentsProps<Value extends string> {
  label: string;
  /** The label is for readers alone. */
  hideLabel?: boolean;
  testId: string;
  value: Value;
  choices: readonly { readonly value: Value; readonly title: string }[];
  onChoose: (value: Value) => void;
}

export function Segments<Value extends string>({ label, hideLabel = false, testId, value, choices, onChoose }: SegmentsProps<Value>) {
  const name = useId();
  return (
    <fieldset className="min-w-0" data-testid={testId} data-value={value}>
      <legend className={hideLabel ? "sr-only" : "mb-1 text-xs font-medium"}>{label}</legend>
      <div className="flex flex-wrap gap-px overflow-clip rounded-md border border-edge bg-line">
        {choices.map((choice) => (
          <label key={choice.value} data-chosen={choice.value === value} className={classNames(choices.length > 3 ? "flex-auto" : "flex-1", "relative flex min-h-7 min-w-0 cursor-pointer items-center justify-center px-2 py-0.5 text-center text-xs has-focus-visible:outline-2 has-focus-visible:-outline-offset-2 has-focus-visible:outline-accent", choice.value === value ? "bg-accent-wash font-medium text-accent" : "bg-surface hover:bg-sunken")}>
            <input type="radio" name={name} value={choice.value} checked={choice.value === value} onChange={() => onChoose(choice.value)} data-testid={`${testId}-${choice.value}`} className="sr-only" />
            {choice.title}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
