/** A labelled number, which may be left empty: null is "not set". */
import { useId, useState } from "react";

interface NumberFieldProps {
  label: string;
  hint?: string | undefined;
  testId?: string;
  value: number | null;
  /** What holds while it is empty. */
  placeholder?: string;
  min?: number;
  onChange: (value: number | null) => void;
}

export function NumberField({ label, hint, testId, value, placeholder, min = 0, onChange }: NumberFieldProps) {
  const id = useId();
  // What is typed may be no number yet ("1."), so it is kept as it was typed.
  const [typed, setTyped] = useState(value === null ? "" : String(value));
  const read = (words: string) => {
    setTyped(words);
    const number = Number(words.trim().replace(",", "."));
    if (words.trim() === "") onChange(null);
    else if (Number.isFinite(number) && number >= min) onChange(number);
  };
  const isBad = typed.trim() !== "" && !(Number(typed.trim().replace(",", ".")) >= min);
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <label htmlFor={id} className="text-xs font-medium">{label}</label>
      <input id={id} data-testid={testId} inputMode="decimal" dir="ltr" autoComplete="off" value={typed} placeholder={placeholder} aria-invalid={isBad} aria-describedby={hint ? `${id}-note` : undefined} onChange={(event) => read(event.target.value)} className="h-8 w-full min-w-0 rounded-md border border-edge bg-surface px-2.5 text-sm tabular-nums aria-invalid:border-bad" />
      {hint ? <p id={`${id}-note`} className="text-xs text-soft">{hint}</p> : null}
    </div>
  );
}
