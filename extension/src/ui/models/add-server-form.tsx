/** A model server of the person's own: where it is, what it is called, and the key if it wants one. */
import { type FormEvent, useState } from "react";
import { Button } from "../common/button.tsx";
import { Notice } from "../common/notice.tsx";
import { TextField } from "../common/text-field.tsx";
import { useText } from "../text/use-text.ts";

export interface ServerDraft {
  baseUrl: string;
  modelName: string;
  apiKey: string;
}

interface AddServerFormProps {
  /** Called in the click itself, because the browser asks for the origin's permission only there. Resolves to why it failed, or null. */
  onSave: (draft: ServerDraft) => Promise<string | null>;
  onDone: () => void;
}

export function AddServerForm({ onSave, onDone }: AddServerFormProps) {
  const text = useText();
  const words = text.model;
  const [draft, setDraft] = useState<ServerDraft>({ baseUrl: "", modelName: "", apiKey: "" });
  const [failure, setFailure] = useState<string | null>(null);
  const [saving, setSaving] = useState(false);
  const url = URL.canParse(draft.baseUrl.trim()) ? new URL(draft.baseUrl.trim()) : null;
  const usable = url !== null && (url.protocol === "https:" || url.protocol === "http:");
  const set = (name: keyof ServerDraft) => (event: { target: { value: string } }) => setDraft({ ...draft, [name]: event.target.value });

  const save = async () => {
    if (!usable || saving) return;
    const saved = onSave({ baseUrl: draft.baseUrl.trim(), modelName: draft.modelName.trim(), apiKey: draft.apiKey.trim() });
    setSaving(true);
    setFailure(null);
    const reason = await saved;
    setSaving(false);
    setFailure(reason);
    if (reason === null) onDone();
  };
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    void save();
  };

  return (
    <form data-testid="add-server" onSubmit={onSubmit} className="mx-auto flex w-full max-w-120 flex-col gap-4 px-4 py-4">
      <p className="text-xs text-soft">{words.intro}</p>
      <TextField label={words.baseUrl} data-testid="server-url" inputMode="url" spellCheck={false} autoComplete="off" value={draft.baseUrl} onChange={set("baseUrl")} hint={words.baseUrlHint} error={draft.baseUrl !== "" && !usable ? words.baseUrlWrong : undefined} required />
      <TextField label={words.name} data-testid="server-model" spellCheck={false} autoComplete="off" value={draft.modelName} onChange={set("modelName")} hint={words.nameHint} required />
      <TextField label={words.key} data-testid="server-key" type="password" autoComplete="off" value={draft.apiKey} onChange={set("apiKey")} hint={words.keyHint} />
      {failure !== null && <Notice tone="bad" title={failure} />}
      <div className="flex items-center gap-2">
        <Button type="submit" weight="primary" data-testid="server-save" disabled={!usable || draft.modelName.trim() === "" || saving}>{saving ? words.adding : words.add}</Button>
        <Button weight="quiet" onClick={onDone}>{text.common.cancel}</Button>
      </div>
      {usable && <p className="text-xs text-soft">{words.permission(url.origin)}</p>}
    </form>
  );
}
