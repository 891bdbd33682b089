/** What goes on around each step of a profile: a box for each, ticked where it is on. Those that are on by themselves stay so until one is changed. */
import { CheckField } from "../common/check-field.tsx";
import { useAsked } from "../panel/use-asked.ts";
import type { Catalogue } from "../text/catalogue.ts";
import { useText } from "../text/use-text.ts";

interface HookFieldsProps {
  /** Null: those that are on by themselves. */
  hooks: readonly string[] | null;
  onChange: (hooks: readonly string[] | null) => void;
}

export function HookFields({ hooks, onChange }: HookFieldsProps) {
  const text = useText();
  const words = text.settings.profiles;
  const known = useAsked("listHooks", {}).value?.hooks ?? [];
  if (known.length === 0) return null;
  const usual = known.filter(({ isDefault }) => isDefault).map(({ id }) => id);
  const on = hooks ?? usual;
  const set = (id: string, isOn: boolean) => {
    // One that this version does not know stays as it was.
    const next = isOn ? [...on, id] : on.filter((each) => each !== id);
    const isUsual = next.length === usual.length && usual.every((each) => next.includes(each));
    onChange(isUsual ? null : next);
  };
  return (
    <fieldset className="flex flex-col gap-1.5" data-testid="profile-hooks">
      <legend className="mb-1.5 text-xs font-medium text-soft">{words.hooks}</legend>
      {known.map(({ id, summary }) => <CheckField key={id} testId={`hook-${id}`} label={wordsOf(id, summary, text)} checked={on.includes(id)} onChange={(isOn) => set(id, isOn)} />)}
    </fieldset>
  );
}

function wordsOf(id: string, summary: string, text: Catalogue): string {
  const { hookNames } = text.settings.profiles;
  return Object.hasOwn(hookNames, id) ? hookNames[id as keyof typeof hookNames] : summary;
}
