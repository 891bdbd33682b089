/** What is known of a model's window and prices, which the meter and the costs are counted by; the person's own numbers win. */
import { type FormEvent, useState } from "react";
import type { ModelFactsRow } from "../../llm/model-facts.ts";
import { Button } from "../common/button.tsx";
import { Disclosure } from "../common/disclosure.tsx";
import { NumberField } from "../common/number-field.tsx";
import { usePanel } from "../panel/panel-context.ts";
import { useAsked } from "../panel/use-asked.ts";
import { REFUSED } from "../panel/use-intents.ts";
import { useText } from "../text/use-text.ts";

const FIELDS = ["window", "output", "inputUsd", "outputUsd", "cacheReadUsd", "cacheWriteUsd"] as const;

export function ModelFacts({ name }: { name: string }) {
  const text = useText();
  const facts = useAsked("listModelFacts", {});
  return (
    <Disclosure summary={text.settings.models.facts}>
      {facts.value && <FactsForm key={JSON.stringify(facts.value.own)} name={name} own={facts.value.own} shipped={facts.value.shipped} onSaved={facts.reload} />}
      {facts.fault !== null && <p className="text-xs text-bad">{facts.fault}</p>}
    </Disclosure>
  );
}

interface FactsFormProps {
  name: string;
  own: readonly ModelFactsRow[];
  shipped: readonly ModelFactsRow[];
  onSaved: () => void;
}

function FactsForm({ name, own, shipped, onSaved }: FactsFormProps) {
  const text = useText();
  const words = text.settings.models;
  const { send, show } = usePanel();
  const mine = own.find((row) => row.name === name) ?? null;
  const known = mine ?? shipped.find((row) => name.toLowerCase().includes(row.name)) ?? null;
  const [values, setValues] = useState<Record<(typeof FIELDS)[number], number | null>>(() => ({ window: null, output: null, inputUsd: null, outputUsd: null, cacheReadUsd: null, cacheWriteUsd: null, ...known }));
  const others = own.filter((row) => row.name !== name);
  const write = async (rows: readonly ModelFactsRow[]) => {
    if ((await send("saveModelFacts", { own: rows })) === REFUSED) return;
    show({ tone: "good", message: words.factsSaved(name) });
    onSaved();
  };
  const save = (event: FormEvent) => {
    event.preventDefault();
    void write([...others, { ...values, name }]);
  };
  return (
    <form onSubmit={save} data-testid="model-facts" className="mt-1 flex flex-col gap-3 rounded-lg border border-line bg-surface p-3">
      <p className="text-xs text-soft">{mine === null ? (known === null ? words.factsUnknown : words.factsShipped) : words.factsOwn}</p>
      <div className="grid grid-cols-2 gap-x-3 gap-y-2">
        {FIELDS.map((field) => <NumberField key={field} label={words.factNames[field]} testId={`facts-${field}`} value={values[field]} onChange={(value) => setValues({ ...values, [field]: value })} />)}
      </div>
      <div className="flex flex-wrap gap-1.5">
        <Button type="submit" data-testid="facts-save">{text.common.save}</Button>
        {mine !== null && <Button weight="quiet" onClick={() => void write(others)}>{words.factsForget}</Button>}
      </div>
    </form>
  );
}
