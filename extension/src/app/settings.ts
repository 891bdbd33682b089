// What a person set for this browser, beside models, profiles and rules: read strictly, so that what does not fit is as if nobody had chosen.
import { z } from "zod";
import type { Storage } from "../storage/storage.ts";

const settingsSchema = z.object({
  /** `auto`: the browser's own. */
  language: z.enum(["auto", "en", "de", "zh"]).catch("auto"),
  theme: z.enum(["auto", "light", "dark"]).catch("auto"),
  /** Shown by the system: a card or question that waits, a turn that is over; and whether a sound goes with the first. */
  notifyWaiting: z.boolean().catch(true),
  notifyDone: z.boolean().catch(true),
  sound: z.boolean().catch(false),
  /** Folders in which strangers wrote: while text from there is in a conversation, nothing runs by itself. */
  strangerWorkspaces: z.array(z.string().min(1).max(100)).max(500).catch([]),
  /** Another model than the conversation's for what is done beside it. Null: the same. */
  summaryModel: z.string().min(1).max(100).nullable().catch(null),
  sideModel: z.string().min(1).max(100).nullable().catch(null),
  agentModel: z.string().min(1).max(100).nullable().catch(null),
  /** Null: sessions are kept for ever. */
  retentionMiB: z.number().int().min(16).max(1_048_576).nullable().catch(500),
});

export type Settings = Readonly<z.infer<typeof settingsSchema>>;

export const DEFAULT_SETTINGS: Settings = settingsSchema.parse({});

const SETTING = "settings";

export class SettingsBook {
  readonly #storage: Storage;
  #settings: Settings = DEFAULT_SETTINGS;

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  async load(): Promise<void> {
    this.#settings = readSettings(await this.#storage.readSetting(SETTING));
  }

  get(): Settings {
    return this.#settings;
  }

  /** What is left out stays; what does not fit is left as it was. */
  async change(change: unknown): Promise<Settings> {
    const asked = typeof change === "object" && change !== null ? change : {};
    const merged = { ...this.#settings };
    for (const [name, schema] of Object.entries(settingsSchema.shape)) {
      const value: unknown = Reflect.get(asked, name);
      if (value !== undefined && schema.unwrap().safeParse(value).success) Reflect.set(merged, name, value);
    }
    this.#settings = readSettings(merged);
    await this.#storage.saveSetting(SETTING, this.#settings);
    return this.#settings;
  }
}

function readSettings(value: unknown): Settings {
  return settingsSchema.parse(typeof value === "object" && value !== null ? value : {});
}
