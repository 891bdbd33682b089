// The models a person has: stored without their keys, opened with them, listed with whether the browser lets us ask.
import { isProviderKind, makeModel, PROVIDERS, type ProviderKind } from "../llm/providers.ts";
import { demoModel, DEMO_LABEL } from "../llm/demo/demo.ts";
import { ModelFault, type Model } from "../llm/model.ts";
import { factsOf, readFacts, TAKES_TEXT, UNKNOWN_FACTS, type ModelFacts, type ModelFactsRow } from "../llm/model-facts.ts";
import { explainFault } from "../llm/explain-fault.ts";
import type { ModelRow, Storage } from "../storage/storage.ts";
import { IntentFault } from "./intent-fault.ts";
import type { HelperTask } from "../agent/world.ts";
import type { KeyVault } from "./key-vault.ts";
import type { Settings } from "./settings.ts";
import { findLocalServers } from "./local-servers.ts";
import { originPattern } from "./origins.ts";
import type { LocalServer, ModelDraft, ModelView, Receipt } from "./views.ts";

export interface ModelsOptions {
  readonly storage: Storage;
  /** The browser lets us ask this origin (a match pattern). */
  readonly isPermitted: (origin: string) => Promise<boolean>;
  readonly newId: () => string;
  readonly vault: KeyVault;
}

export const DEMO_ID = "demo";

const FACTS_SETTING = "model_facts";

export class Models {
  readonly #options: ModelsOptions;

  constructor(options: ModelsOptions) {
    this.#options = options;
  }

  async list(): Promise<readonly ModelView[]> {
    const rows = await this.#options.storage.listModels();
    return [DEMO_VIEW, ...(await Promise.all(rows.map((row) => this.#view(row))))];
  }

  /** The servers whose requests must not carry the extension's origin. */
  async baseUrls(): Promise<readonly string[]> {
    return (await this.#options.storage.listModels()).map((row) => row.baseUrl);
  }

  async label(id: string): Promise<string> {
    if (id === DEMO_ID) return DEMO_LABEL;
    return (await this.#row(id))?.label ?? id;
  }

  /** The one that was chosen for this, as long as there is one; null: the conversation's own. */
  async helper(task: HelperTask, { summaryModel, sideModel, agentModel }: Settings): Promise<string | null> {
    const chosen = { summary: summaryModel, side: sideModel, agent: agentModel }[task];
    return chosen === null || chosen === DEMO_ID || (await this.#row(chosen)) !== undefined ? chosen : null;
  }

  async facts(id: string): Promise<ModelFacts> {
    const row = id === DEMO_ID ? undefined : await this.#row(id);
    // The demo asks nobody, so it costs nothing; of a model that is gone nothing is known.
    if (row === undefined) return { ...UNKNOWN_FACTS, takes: TAKES_TEXT, ...(id === DEMO_ID ? { price: () => 0 } : {}) };
    return factsOf(row.modelName, await this.ownFacts(), PROVIDERS[kindOf(row)].takes);
  }

  async ownFacts(): Promise<readonly ModelFactsRow[]> {
    return readFacts(await this.#options.storage.readSetting(FACTS_SETTING));
  }

  async saveFacts(rows: unknown): Promise<void> {
    await this.#options.storage.saveSetting(FACTS_SETTING, readFacts(rows));
  }

  async open(id: string): Promise<Model> {
    if (id === DEMO_ID) return demoModel();
    const row = await this.#row(id);
    if (row === undefined) {
      throw new ModelFault({ code: "no_model", message: "The chosen model was removed.", hint: "Choose another one.", retryable: false });
    }
    const kind = kindOf(row);
    const origin = originPattern(row.baseUrl);
    if (kind !== "browser" && (origin === null || !(await this.#options.isPermitted(origin)))) {
      throw new ModelFault({
        code: "origin_not_permitted",
        message: `The browser does not allow requests to ${row.baseUrl}.`,
        hint: "Allow it, then press Retry; or save the model again in the settings, and the browser asks you.",
        retryable: false,
        ...(origin === null ? {} : { origin: row.baseUrl }),
      });
    }
    const apiKey = await this.#options.vault.read(id);
    if (apiKey === "locked") {
      throw new ModelFault({ code: "keys_locked", message: `The key of ${row.label} is locked.`, hint: "Unlock your keys with the passphrase, or enter this one anew, then press Retry.", retryable: false });
    }
    return makeModel(kind, { ...row, apiKey }, row.textTools ?? false);
  }

  async save(draft: ModelDraft): Promise<{ model: ModelView; receipt: Receipt }> {
    const kind = isProviderKind(draft.kind) ? draft.kind : "openai_compatible";
    const row: ModelRow = {
      kind,
      ...(draft.textTools === undefined ? {} : { textTools: draft.textTools }),
      id: draft.id ?? this.#options.newId(),
      label: draft.label.trim() === "" ? draft.modelName.trim() : draft.label.trim(),
      baseUrl: (draft.baseUrl.trim() === "" ? (PROVIDERS[kind].baseUrl ?? "") : draft.baseUrl).trim().replace(/\/+$/, ""),
      modelName: draft.modelName.trim(),
    };
    if (kind === "browser") {
      await this.#options.storage.saveModel(row);
      return { model: await this.#view(row), receipt: { message: `${row.label} was saved.` } };
    }
    if (originPattern(row.baseUrl) === null) throw refused("bad_address", "The address is not a URL.", "It begins with https:// or http://, and most end in /v1.");
    if (hasMore(row.baseUrl)) throw refused("bad_address", "The address holds a name, a password, or something behind a ? or #.", "Leave that out: a key belongs into its own field, where it is in no log.");
    if (isPlainRemote(row.baseUrl)) throw refused("plain_http", "A server elsewhere must be reached over https.", "Only servers on this machine may use http.");
    if (row.modelName === "") throw refused("no_name", "The model's name is missing.", "Write it as the provider does, such as gpt-4.1-mini or qwen3:8b.");
    await this.#options.storage.saveModel(row);
    const key = draft.apiKey?.trim() ?? null;
    if (key !== null && !(await this.#options.vault.save(row.id, key === "" ? null : key))) {
      throw refused("keys_locked", `${row.label} was saved, but its key was not: your keys are locked.`, "Unlock them with the passphrase, then enter the key again.");
    }
    const isSealed = (await this.#options.vault.state()) !== "plain";
    const keyWords = key === null ? "" : key === "" ? " Its key was removed." : isSealed ? " Its key is sealed with your passphrase." : " Its key is stored in this browser profile, not encrypted.";
    return { model: await this.#view(row), receipt: { message: `${row.label} was saved.${keyWords}` } };
  }

  async remove(id: string): Promise<Receipt> {
    const label = await this.label(id);
    await this.#options.storage.deleteModel(id);
    return { message: `${label} and its key were removed.` };
  }

  /** What the server says it has. With a stored model's id its key is used where none was typed. */
  async listRemote(baseUrl: string, apiKey: string | null, model: string | null): Promise<readonly string[]> {
    const stored = apiKey ?? (model === null ? null : await this.#options.vault.read(model));
    const key = stored === "locked" ? null : stored;
    try {
      const response = await fetch(`${baseUrl.trim().replace(/\/+$/, "")}/models`, {
        headers: key === null || key === "" ? {} : { authorization: `Bearer ${key}` },
        // As with every request that carries a key.
        redirect: "manual",
        signal: AbortSignal.timeout(REMOTE_LIST_MS),
      });
      if (response.type === "opaqueredirect" || (response.status >= 300 && response.status < 400)) throw refused("redirected", "The server sends requests on to another address.", "Put that address here: often with https, or with /v1 at its end.");
      if (!response.ok) throw refused("refused", `The server answered with status ${response.status}.`, response.status === 401 ? "It needs a valid key." : "Check the address; most end in /v1.");
      return readModelNames(await response.json());
    } catch (error) {
      if (error instanceof IntentFault) throw error;
      throw new IntentFault(explainFault(error, "The server", Date.now()).fault);
    }
  }

  /** Servers on this machine, where the browser lets us ask. */
  async findLocal(): Promise<readonly LocalServer[]> {
    if (!(await this.#options.isPermitted("http://127.0.0.1/*"))) return [];
    return findLocalServers(async (baseUrl, signal) => {
      const response = await fetch(`${baseUrl}/models`, { signal });
      if (!response.ok) throw new Error(`status ${response.status}`);
      return readModelNames(await response.json());
    });
  }

  async #row(id: string): Promise<ModelRow | undefined> {
    return (await this.#options.storage.listModels()).find((row) => row.id === id);
  }

  async #view(row: ModelRow): Promise<ModelView> {
    const origin = originPattern(row.baseUrl);
    const kind = kindOf(row);
    const key = await this.#options.vault.read(row.id);
    return {
      ...row,
      kind,
      hasKey: key !== null,
      locked: key === "locked",
      permitted: kind === "browser" || (origin !== null && (await this.#options.isPermitted(origin))),
    };
  }
}

const DEMO_VIEW: ModelView = { id: DEMO_ID, label: DEMO_LABEL, kind: "demo", baseUrl: null, modelName: null, hasKey: false, permitted: true };

/** A form waits for it. */
const REMOTE_LIST_MS = 8_000;

function kindOf(row: ModelRow): ProviderKind {
  return isProviderKind(row.kind) ? row.kind : "openai_compatible";
}

/** What would be shown and logged with the address, and may be secret. */
function hasMore(baseUrl: string): boolean {
  const { username, password, search, hash } = new URL(baseUrl);
  return [username, password, search, hash].some((part) => part !== "");
}

function isPlainRemote(baseUrl: string): boolean {
  const { protocol, hostname } = new URL(baseUrl);
  return protocol === "http:" && hostname !== "localhost" && hostname !== "127.0.0.1";
}

function readModelNames(body: unknown): readonly string[] {
  const data = typeof body === "object" && body !== null && "data" in body ? body.data : null;
  if (!Array.isArray(data)) throw refused("no_list", "The server gave no list of models.", "Write the model's name by hand.");
  return data.flatMap((entry: unknown) => (typeof entry === "object" && entry !== null && "id" in entry && typeof entry.id === "string" ? [entry.id] : []));
}

function refused(code: string, message: string, hint: string): IntentFault {
  return new IntentFault({ code, message, hint, retryable: false });
}
