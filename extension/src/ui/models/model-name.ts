/** A model's name: the built-in one is called in the person's language, the others as they were named. */
import type { TurnView } from "../../agent/session-view.ts";
import type { ModelView } from "../../app/views.ts";
import type { Catalogue } from "../text/catalogue.ts";

export function modelName({ kind, label }: Pick<ModelView, "kind" | "label">, text: Catalogue): string {
  return kind === "demo" ? text.model.demo : label;
}

/** As it was called when the turn began. */
export function modelOf({ model, modelLabel }: Pick<TurnView, "model" | "modelLabel">, text: Catalogue): string {
  return model === "demo" ? text.model.demo : modelLabel;
}
