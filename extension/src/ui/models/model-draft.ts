/** What a person fills in to have a model, and what is wrong with it so far. */
import type { ModelDraft, ModelView } from "../../app/views.ts";
import type { Catalogue } from "../text/catalogue.ts";

export const KINDS = ["openai_compatible", "openai", "anthropic", "google", "browser"] as const;

export type ModelKind = (typeof KINDS)[number];

export interface DraftFields {
  readonly kind: ModelKind;
  readonly label: string;
  readonly baseUrl: string;
  readonly modelName: string;
  /** Empty leaves a stored key as it is. */
  readonly apiKey: string;
  readonly removesKey: boolean;
  readonly textTools: boolean;
}

/** Where the providers that have one address are asked. The engine's own table decides; this one only names the origin for the permission. */
const ORIGINS: Record<ModelKind, string | null> = {
  openai_compatible: null,
  openai: "https://api.openai.com/v1",
  anthropic: "https://api.anthropic.com/v1",
  google: "https://generativelanguage.googleapis.com/v1beta",
  browser: null,
};

export function emptyDraft(given: Partial<DraftFields> = {}): DraftFields {
  return { kind: "openai_compatible", label: "", baseUrl: "", modelName: "", apiKey: "", removesKey: false, textTools: false, ...given };
}

export function draftOf(model: ModelView): DraftFields {
  return emptyDraft({ kind: model.kind === "demo" ? "openai_compatible" : model.kind, label: model.label, baseUrl: model.baseUrl ?? "", modelName: model.modelName ?? "", textTools: model.textTools ?? false });
}

export function addressOf({ kind, baseUrl }: DraftFields): string | null {
  return kind === "openai_compatible" || baseUrl.trim() !== "" ? baseUrl.trim() : ORIGINS[kind];
}

/** Null where the address can be used as it is, or none is needed. */
export function faultOfAddress(fields: DraftFields, text: Catalogue): string | null {
  if (fields.kind === "browser") return null;
  const address = addressOf(fields) ?? "";
  if (!URL.canParse(address)) return text.model.baseUrlWrong;
  const { protocol, hostname } = new URL(address);
  if (protocol === "https:") return null;
  return protocol === "http:" && (hostname === "localhost" || hostname === "127.0.0.1") ? null : text.model.plainRemote;
}

export function toDraft(fields: DraftFields, id: string | null): ModelDraft {
  const label = fields.label.trim();
  return {
    id,
    kind: fields.kind,
    label: label === "" ? fields.modelName.trim() : label,
    baseUrl: addressOf(fields) ?? "",
    modelName: fields.modelName.trim(),
    apiKey: fields.removesKey ? "" : fields.apiKey.trim() === "" ? null : fields.apiKey.trim(),
    textTools: fields.textTools,
  };
}
