/** A model of the person's own: where it is, what it is called, and the key if it wants one. */
import { type FormEvent, useId, useState } from "react";
import { Button } from "../common/button.tsx";
import { CheckField } from "../common/check-field.tsx";
import { Notice } from "../common/notice.tsx";
import { SelectField } from "../common/select-field.tsx";
import { refusalLine } from "../common/refusal-words.ts";
import { TextField } from "../common/text-field.tsx";
import { useText } from "../text/use-text.ts";
import { addressOf, type DraftFields, faultOfAddress, KINDS } from "./model-draft.ts";

interface ModelFormProps {
  start: DraftFields;
  isNew: boolean;
  hasKey: boolean;
  /** Keys are kept as they are, which is said before one is typed. */
  keysArePlain: boolean;
  /** Names the server says it has; rejects with why it does not say. */
  onList: (fields: DraftFields) => Promise<readonly string[]>;
  /** Called in the click itself, because the browser asks for the origin's permission only there. Resolves to why it failed, or null. */
  onSave: (fields: DraftFields) => Promise<string | null>;
  onCancel: () => void;
}

export function ModelForm({ start, isNew, hasKey, keysArePlain, onList, onSave, onCancel }: ModelFormProps) {
  const text = useText();
  const words = text.model;
  const [fields, setFields] = useState(start);
  const [failure, setFailure] = useState<string | null>(null);
  const [names, setNames] = useState<readonly string[]>([]);
  const [busy, setBusy] = useState<"saving" | "listing" | null>(null);
  const listId = useId();
  const addressFault = faultOfAddress(fields, text);
  const set = <Name extends keyof DraftFields>(name: Name, value: DraftFields[Name]) => setFields({ ...fields, [name]: value });
  const usable = addressFault === null && fields.modelName.trim() !== "" && busy === null;

  const save = (event: FormEvent) => {
    event.preventDefault();
    if (!usable) return;
    const saved = onSave(fields);
    setBusy("saving");
    setFailure(null);
    void saved.then(setFailure).finally(() => setBusy(null));
  };
  const list = () => {
    const listed = onList(fields);
    setBusy("listing");
    setFailure(null);
    void listed.then(setNames, (error: unknown) => setFailure(refusalLine(error, text))).finally(() => setBusy(null));
  };
  const address = addressOf(fields);

  return (
    <form data-testid="add-server" onSubmit={save} className="flex flex-col gap-4">
      <SelectField label={words.kind} testId="server-kind" value={fields.kind} choices={KINDS.map((value) => ({ value, title: words.kinds[value] }))} hint={words.kindHints[fields.kind]} onChoose={(kind) => setFields({ ...fields, kind, baseUrl: "" })} />
      {fields.kind === "openai_compatible" && (
        <TextField label={words.baseUrl} data-testid="server-url" inputMode="url" dir="ltr" spellCheck={false} autoComplete="off" value={fields.baseUrl} onChange={(event) => set("baseUrl", event.target.value)} hint={words.baseUrlHint} error={fields.baseUrl !== "" ? (addressFault ?? undefined) : undefined} required />
      )}
      {fields.kind !== "browser" && (
        <div className="flex flex-col gap-1.5">
          <TextField label={fields.kind === "openai_compatible" ? words.key : words.keyNeeded} data-testid="server-key" type="password" autoComplete="off" value={fields.apiKey} onChange={(event) => set("apiKey", event.target.value)} hint={hasKey ? words.keyStored : keysArePlain ? words.keyPlain : words.keySealed} />
          {hasKey && <CheckField label={words.removeKey} checked={fields.removesKey} onChange={(checked) => set("removesKey", checked)} />}
        </div>
      )}
      <div className="flex flex-col gap-1.5">
        <TextField label={words.name} data-testid="server-model" list={listId} dir="ltr" spellCheck={false} autoComplete="off" value={fields.modelName} onChange={(event) => set("modelName", event.target.value)} hint={names.length > 0 ? words.namesFound(names.length) : words.nameHint} required />
        <datalist id={listId}>{names.map((name) => <option key={name} value={name}>{name}</option>)}</datalist>
        {fields.kind !== "browser" && <div><Button weight="plain" data-testid="server-list" disabled={addressFault !== null || busy !== null} onClick={list}>{busy === "listing" ? words.listing : words.list}</Button></div>}
      </div>
      <TextField label={words.shownAs} data-testid="server-label" autoComplete="off" value={fields.label} onChange={(event) => set("label", event.target.value)} hint={words.shownAsHint} />
      {fields.kind === "openai_compatible" && <CheckField label={words.textTools} hint={words.textToolsHint} testId="server-text-tools" checked={fields.textTools} onChange={(checked) => set("textTools", checked)} />}
      {failure !== null && <div role="alert"><Notice tone="bad" title={failure} /></div>}
      <div className="flex flex-wrap items-center gap-2">
        <Button type="submit" weight="primary" data-testid="server-save" disabled={!usable}>{isNew ? (busy === "saving" ? words.adding : words.add) : text.common.save}</Button>
        <Button weight="quiet" onClick={onCancel}>{text.common.cancel}</Button>
      </div>
      {isNew && address !== null && addressFault === null && fields.kind !== "browser" && <p className="text-xs text-soft">{words.permission(new URL(address).origin)}</p>}
    </form>
  );
}
