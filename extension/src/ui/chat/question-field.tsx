/** One field of a question: one of several, some of several, yes or no, or words. */
import { useId } from "react";
import type { QuestionAnswer, QuestionField as Field } from "../../agent/events.ts";
import { VisibleText } from "../common/visible-text.tsx";
import { useText } from "../text/use-text.ts";
import { useGrowing } from "./use-growing.ts";

type Value = QuestionAnswer[string];

interface QuestionFieldProps {
  field: Field;
  value: Value | undefined;
  onChange: (value: Value) => void;
}

export function QuestionField({ field, value, onChange }: QuestionFieldProps) {
  const text = useText();
  const name = useId();
  const words = typeof value === "string" ? value : "";
  const box = useGrowing(words);
  const label = <VisibleText value={field.required ? field.label : text.question.optional(field.label)} />;
  if (field.kind === "text") {
    return (
      <div className="flex flex-col gap-1">
        <label htmlFor={name} className="text-xs font-medium">{label}</label>
        <textarea ref={box} id={name} rows={1} value={words} onChange={(event) => onChange(event.target.value)} className="field-sizing-content max-h-48 min-h-8 w-full resize-none rounded-md border border-edge bg-surface px-2.5 py-1.5 text-sm" />
      </div>
    );
  }
  const chosen = Array.isArray(value) ? value : [];
  const options = field.kind === "yes_no" ? [{ value: true, label: text.question.yes }, { value: false, label: text.question.no }] : field.options;
  const many = field.kind === "choices";
  return (
    <fieldset className="flex flex-col gap-1">
      <legend className="pb-1 text-xs font-medium">{label}</legend>
      {options.map((option) => (
        <label key={String(option.value)} className="flex cursor-pointer items-start gap-2 text-sm">
          <input
            type={many ? "checkbox" : "radio"}
            name={name}
            checked={many ? chosen.includes(String(option.value)) : value === option.value}
            onChange={() => onChange(many ? toggled(chosen, String(option.value)) : option.value)}
            className="mt-1 size-3.5 shrink-0 cursor-pointer accent-accent"
          />
          <span className="min-w-0 break-words">
            <VisibleText value={option.label} />
          </span>
        </label>
      ))}
    </fieldset>
  );
}

function toggled(chosen: readonly string[], value: string): readonly string[] {
  return chosen.includes(value) ? chosen.filter((each) => each !== value) : [...chosen, value];
}
