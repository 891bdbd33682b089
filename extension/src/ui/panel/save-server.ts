/**
 * Adds a model server: first the browser's permission for its origin, then the engine's store, then it is chosen.
 *
 * Must be called in the click itself: browsers ask for a permission only there, so nothing may be awaited before.
 */
import type { PanelClient } from "../../app/panel-client.ts";
import type { ServerDraft } from "../models/add-server-form.tsx";
import type { Catalogue } from "../text/catalogue.ts";
import type { ReceiptState } from "./receipt-state.ts";

/** Resolves to why it failed, or null. */
export async function saveServer(
  client: PanelClient,
  session: string | null,
  draft: ServerDraft,
  text: Catalogue,
  show: (receipt: Omit<ReceiptState, "id">) => void,
): Promise<string | null> {
  const granted = client.requestOrigin(draft.baseUrl);
  try {
    if (!(await granted)) return text.model.refused(new URL(draft.baseUrl).origin);
    const { model, receipt } = await client.send("saveModel", {
      id: null,
      label: draft.modelName,
      baseUrl: draft.baseUrl,
      modelName: draft.modelName,
      apiKey: draft.apiKey === "" ? null : draft.apiKey,
    });
    await client.send("selectModel", { session, model: model.id });
    show({ tone: "good", message: receipt.message });
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : text.common.refused;
  }
}
