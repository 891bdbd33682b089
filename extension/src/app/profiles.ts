// The profiles of this browser: those that come with it, and the person's own, which may replace them by their id.
import { BUILT_IN_PROFILES, type Profile } from "../agent/profile.ts";
import { readProfile } from "../agent/read-profile.ts";
import type { Storage } from "../storage/storage.ts";
import { IntentFault } from "./intent-fault.ts";
import type { Receipt } from "./views.ts";

const SETTING = "profiles";

export class Profiles {
  readonly #storage: Storage;
  readonly #onChange: () => void;

  /** `onChange`: one was saved or removed, by a person or by the agent. */
  constructor(storage: Storage, onChange: () => void) {
    this.#storage = storage;
    this.#onChange = onChange;
  }

  async list(): Promise<readonly (Profile & { readonly builtIn: boolean })[]> {
    const own = await this.#own();
    const replaced = new Set(own.map(({ id }) => id));
    return [...BUILT_IN_PROFILES.filter(({ id }) => !replaced.has(id)).map((profile) => ({ ...profile, builtIn: true })), ...own.map((profile) => ({ ...profile, builtIn: false }))];
  }

  async find(id: string): Promise<Profile> {
    const found = (await this.list()).find((profile) => profile.id === id);
    if (found === undefined) throw new IntentFault({ code: "no_profile", message: "This profile was removed.", hint: "Choose another one.", retryable: false });
    const { builtIn: _builtIn, ...profile } = found;
    return profile;
  }

  async save(value: unknown): Promise<Receipt> {
    const profile = readProfile(value);
    if (profile === null) throw new IntentFault({ code: "bad_profile", message: "This is no profile.", hint: "It needs a name; its mode, tools and limits must be ones there are.", retryable: false });
    await this.#storage.saveSetting(SETTING, [...(await this.#own()).filter(({ id }) => id !== profile.id), profile]);
    this.#onChange();
    return { message: `The profile ${profile.name} was saved. Sessions that began with it keep what they have.` };
  }

  async remove(id: string): Promise<Receipt> {
    await this.#storage.saveSetting(SETTING, (await this.#own()).filter((profile) => profile.id !== id));
    this.#onChange();
    return { message: "The profile was removed. Sessions that began with it keep what they have." };
  }

  async #own(): Promise<readonly Profile[]> {
    const stored = await this.#storage.readSetting(SETTING);
    return Array.isArray(stored) ? stored.flatMap((entry: unknown) => readProfile(entry) ?? []) : [];
  }
}
