/** One value of a call's arguments. A text is a text; anything else is written as in JSON. */
import { useId, useState } from "react";
import { useGrowing } from "../chat/use-growing.ts";
import { TickBox } from "../common/tick-box.tsx";
import { type ArgField as Field, type Leaf, readLeaf } from "./flatten-args.ts";

interface ArgFieldProps {
  field: Field;
  onChange: (value: Leaf | undefined) => void;
}

export function ArgField({ field, onChange }: ArgFieldProps) {
  const id = useId();
  const [typed, setTyped] = useState(typeof field.value === "string" ? field.value : JSON.stringify(field.value));
  const [before] = useState(field.value);
  const box = useGrowing(typed);
  if (typeof before === "boolean") {
    return (
      <label className="flex cursor-pointer items-center gap-2 font-mono text-xs">
        <TickBox checked={field.value === true} onChange={(event) => onChange(event.target.checked)} />
        {field.name}
      </label>
    );
  }
  const isBad = readLeaf(typed, before) === undefined;
  return (
    <div className="flex flex-col gap-0.5">
      <label htmlFor={id} className="font-mono text-2xs text-soft">{field.name}</label>
      <textarea
        ref={box}
        id={id}
        rows={1}
        spellCheck={false}
        data-testid="arg-field"
        data-name={field.name}
        aria-invalid={isBad}
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value);
          onChange(readLeaf(event.target.value, before));
        }}
        className="field-sizing-content max-h-48 min-h-7 w-full resize-none rounded-md border border-edge bg-surface px-2 py-1 font-mono text-xs aria-invalid:border-bad"
      />
    </div>
  );
}
