/**
 * Saves a model: first the browser's permission for its origin, then the engine's store.
 *
 * Must be called in the click itself: browsers ask for a permission only there, so nothing may be awaited before.
 */
import type { PanelClient } from "../../app/panel-client.ts";
import type { Receipt } from "../../app/views.ts";
import { refusalLine } from "../common/refusal-words.ts";
import type { Catalogue } from "../text/catalogue.ts";
import { addressOf, type DraftFields, toDraft } from "./model-draft.ts";

export type Saved = { readonly model: string; readonly receipt: Receipt } | { readonly failure: string };

export async function saveModel(client: PanelClient, fields: DraftFields, id: string | null, text: Catalogue): Promise<Saved> {
  const address = addressOf(fields);
  const granted = fields.kind === "browser" || address === null ? Promise.resolve(true) : client.requestOrigin(address);
  try {
    if (!(await granted)) return { failure: text.model.refused(address === null ? "" : new URL(address).origin) };
    const { model, receipt } = await client.send("saveModel", toDraft(fields, id));
    return { model: model.id, receipt };
  } catch (error) {
    return { failure: refusalLine(error, text) };
  }
}
