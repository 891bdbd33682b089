/** One profile: its words, its model, what it may do. Saving one that came with the panel replaces it; removing brings it back. */
import { type FormEvent, useState } from "react";
import { newUlid } from "../../lib/ids.ts";
import type { Profile } from "../../agent/profile.ts";
import { profileName } from "../chat/profile-name.ts";
import { Button } from "../common/button.tsx";
import { NumberField } from "../common/number-field.tsx";
import { SelectField } from "../common/select-field.tsx";
import { SureButton } from "../common/sure-button.tsx";
import { TextArea } from "../common/text-area.tsx";
import { TextField } from "../common/text-field.tsx";
import { modelName } from "../models/model-name.ts";
import { usePanel } from "../panel/panel-context.ts";
import { REFUSED } from "../panel/use-intents.ts";
import { useText } from "../text/use-text.ts";
import { fieldsOf, toProfile } from "./profile-fields.ts";
import { HookFields } from "./hook-fields.tsx";
import { EXAMPLES } from "./examples.ts";

interface ProfilePageProps {
  /** Null: a new one. */
  profile: (Profile & { readonly builtIn: boolean }) | null;
  onChanged: () => void;
}

export function ProfilePage({ profile, onChanged }: ProfilePageProps) {
  const text = useText();
  const words = text.settings.profiles;
  const { app, place, go, send, show } = usePanel();
  const [fields, setFields] = useState(() => ({ ...fieldsOf(profile), ...(profile && { name: profileName(profile.id, profile.name, text) }) }));
  const [id] = useState(() => profile?.id ?? newUlid());
  const set = (change: Partial<typeof fields>) => setFields({ ...fields, ...change });
  const leave = (message: string) => {
    show({ tone: "good", message });
    onChanged();
    go({ part: "profiles" }, place);
  };
  const save = async (event: FormEvent) => {
    event.preventDefault();
    // A name that was left as it is goes on following the language.
    const name = profile !== null && fields.name === profileName(profile.id, profile.name, text) ? profile.name : fields.name;
    if (fields.name.trim() !== "" && (await send("saveProfile", { profile: toProfile(id, { ...fields, name }) })) !== REFUSED) leave(words.saved(fields.name.trim()));
  };
  const remove = async () => {
    if ((await send("deleteProfile", { profile: id })) !== REFUSED) leave(words.removed(fields.name));
  };
  const keep = { value: "", title: words.asSession };
  return (
    <form onSubmit={(event) => void save(event)} className="flex flex-col gap-4" data-testid="profile-form">
      <TextField label={words.name} data-testid="profile-name" maxLength={60} value={fields.name} onChange={(event) => set({ name: event.target.value })} required />
      <TextArea label={words.instructions} data-testid="profile-instructions" rows={5} maxLength={20_000} value={fields.instructions} onChange={(event) => set({ instructions: event.target.value })} hint={words.instructionsHint} />
      <SelectField label={text.model.label} testId="profile-model" value={fields.model} choices={[keep, ...app.models.map((model) => ({ value: model.id, title: modelName(model, text) }))]} onChoose={(model) => set({ model })} />
      <SelectField label={text.mode.label} testId="profile-mode" value={fields.mode} choices={[keep, ...app.modes.map((mode) => ({ value: mode as string, title: text.mode[mode] }))]} onChoose={(mode) => set({ mode })} />
      <SelectField label={words.thinking} testId="profile-thinking" value={fields.thinking} choices={[keep, ...(["none", "low", "medium", "high"] as const).map((value) => ({ value: value as string, title: text.work.thinkingLevels[value] }))]} onChoose={(thinking) => set({ thinking })} />
      <TextField label={words.tools} data-testid="profile-tools" dir="ltr" spellCheck={false} value={fields.tools} placeholder={EXAMPLES.tools} onChange={(event) => set({ tools: event.target.value })} hint={words.toolsHint} />
      <div className="grid grid-cols-3 gap-3">
        <NumberField label={text.settings.limits.steps} min={1} value={fields.steps} onChange={(steps) => set({ steps })} />
        <NumberField label={text.settings.limits.minutes} min={1} value={fields.minutes} onChange={(minutes) => set({ minutes })} />
        <NumberField label={text.settings.limits.cost} value={fields.costUsd} onChange={(costUsd) => set({ costUsd })} />
      </div>
      <NumberField label={words.heartbeat} testId="profile-interval" min={1} value={fields.interval} placeholder={words.heartbeatNone} onChange={(interval) => set({ interval })} />
      <HookFields hooks={fields.hooks} onChange={(hooks) => set({ hooks })} />
      <div className="flex flex-wrap gap-1.5">
        <Button type="submit" weight="primary" data-testid="profile-save" disabled={fields.name.trim() === ""}>{text.common.save}</Button>
        <Button weight="quiet" onClick={() => go({ part: "profiles" })}>{text.common.cancel}</Button>
        <span className="flex-1" />
        {profile !== null && !profile.builtIn && <SureButton data-testid="profile-remove" sure={words.removeSure} onSure={() => void remove()}>{words.remove}</SureButton>}
      </div>
    </form>
  );
}
