/** One model, new or known: its form, what is known of its window and prices, and the way to be rid of it. */
import { Trash2 } from "lucide-react";
import { Button } from "../common/button.tsx";
import { EmptyState } from "../common/empty-state.tsx";
import { SureButton } from "../common/sure-button.tsx";
import { addressOf, type DraftFields, draftOf, emptyDraft } from "../models/model-draft.ts";
import { ModelForm } from "../models/model-form.tsx";
import { saveModel } from "../models/save-model.ts";
import { usePanel } from "../panel/panel-context.ts";
import { REFUSED } from "../panel/use-intents.ts";
import { useText } from "../text/use-text.ts";
import { ModelFacts } from "./model-facts.tsx";

/** `new` from the settings, `first` from the menu of the chat, which it goes back to, and leaves the model chosen there. */
export function ModelPage({ id }: { id: string }) {
  const text = useText();
  const { app, client, sessionId, place, go, send, show } = usePanel();
  const isNew = id === "new" || id === "first";
  const model = app.models.find((candidate) => candidate.id === id && candidate.kind !== "demo") ?? null;
  const leave = () => go(id === "first" ? { screen: "chat" } : { part: "models" }, place);
  if (!isNew && model === null) return <EmptyState title={text.settings.models.gone}><Button onClick={leave}>{text.common.back}</Button></EmptyState>;

  const save = async (fields: DraftFields): Promise<string | null> => {
    const saved = await saveModel(client, fields, model?.id ?? null, text);
    if ("failure" in saved) return saved.failure;
    if (id === "first") await send("selectModel", { session: sessionId, model: saved.model });
    show({ tone: "good", message: text.settings.models.saved(fields.label.trim() || fields.modelName.trim()) });
    leave();
    return null;
  };
  const list = async (fields: DraftFields): Promise<readonly string[]> => {
    const address = addressOf(fields) ?? "";
    if (!(await client.requestOrigin(address))) throw new Error(text.model.refused(new URL(address).origin));
    return (await client.send("listProviderModels", { baseUrl: address, apiKey: fields.apiKey === "" ? null : fields.apiKey, model: model?.id ?? null })).models;
  };
  const remove = async () => {
    if (model && (await send("deleteModel", { model: model.id })) !== REFUSED) {
      show({ tone: "good", message: text.settings.models.removed(model.label) });
      leave();
    }
  };

  return (
    <>
      <ModelForm start={model === null ? emptyDraft() : draftOf(model)} isNew={isNew} hasKey={model?.hasKey ?? false} keysArePlain={(app.keys ?? "plain") === "plain"} onList={list} onSave={save} onCancel={leave} />
      {model?.modelName && <ModelFacts name={model.modelName} />}
      {model && <div className="border-t border-line pt-4"><SureButton data-testid="model-remove" icon={<Trash2 aria-hidden size={14} />} sure={text.settings.models.removeSure} onSure={() => void remove()}>{text.settings.models.remove}</SureButton></div>}
    </>
  );
}
