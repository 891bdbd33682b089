/** What shall become of files that changed since: left alone, or put back over what was written meanwhile. Nothing is chosen for the person. */
import { useId } from "react";
import { useText } from "../text/use-text.ts";

export type ConflictAnswer = "leave" | "overwrite";

/** As the engine wants it. Together they do all that can be done: what cannot be put back stays. */
export function conflictOptions(answer: ConflictAnswer | null): { skipConflicts: boolean; overwrite?: boolean } {
  return answer === "overwrite" ? { skipConflicts: true, overwrite: true } : { skipConflicts: answer === "leave" };
}

interface ConflictChoiceProps {
  count: number;
  value: ConflictAnswer | null;
  onChange: (answer: ConflictAnswer) => void;
}

export function ConflictChoice({ count, value, onChange }: ConflictChoiceProps) {
  const words = useText().turns;
  const name = useId();
  const options = [
    { answer: "leave", label: words.skip(count), hint: words.skipHint, testId: "undo-skip" },
    { answer: "overwrite", label: words.overwrite(count), hint: words.overwriteHint, testId: "undo-overwrite" },
  ] as const;
  return (
    <fieldset className="mt-1 flex flex-col gap-1.5" data-testid="conflict-choice">
      <legend className="pb-1 text-2xs font-medium text-soft">{words.conflictLegend(count)}</legend>
      {options.map(({ answer, label, hint, testId }) => (
        <label key={answer} className="flex cursor-pointer items-start gap-2 text-sm">
          <input type="radio" name={name} data-testid={testId} checked={value === answer} onChange={() => onChange(answer)} className="mt-0.75 size-3.5 shrink-0 cursor-pointer accent-accent" />
          <span>{label}<span className="block text-xs text-soft">{hint}</span></span>
        </label>
      ))}
    </fieldset>
  );
}
