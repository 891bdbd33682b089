// Keys of providers: sealed with a passphrase, or as they are after a plain warning. Nothing else ever holds one.
//
// The passphrase is stretched (PBKDF2) to a key that seals each provider key (AES-GCM). Unlocked, that key lives in the browser's
// session storage: in memory, for our own pages, gone with the browser. What is sealed says nothing without the passphrase.
import type { Storage } from "../storage/storage.ts";
import { IntentFault } from "./intent-fault.ts";
import type { KeyState, Receipt } from "./views.ts";

/** In memory, and gone with the browser. */
export interface SessionMemory {
  get(name: string): Promise<unknown>;
  set(name: string, value: unknown): Promise<void>;
  remove(name: string): Promise<void>;
}

/** OWASP's number of 2023 for SHA-256; half a second on a slow machine, and as much for each guess. */
const ROUNDS = 600_000;

const HEADER = "key_vault";
const UNLOCKED = "outrigger.vault";
const CHECK = "outrigger";

interface Header {
  readonly salt: string;
  readonly rounds: number;
  /** A known text, sealed: tells a wrong passphrase from a right one. */
  readonly check: string;
}

export interface KeyVaultParts {
  readonly storage: Storage;
  readonly memory: SessionMemory;
  readonly rounds?: number;
}

export class KeyVault {
  readonly #parts: KeyVaultParts;

  constructor(parts: KeyVaultParts) {
    this.#parts = parts;
  }

  async state(): Promise<KeyState> {
    if ((await this.#header()) === null) return "plain";
    return (await this.#key()) === null ? "locked" : "unlocked";
  }

  /** Null: there is none. `locked`: there is one, and the passphrase is needed. */
  async read(model: string): Promise<string | null | "locked"> {
    const stored = await this.#parts.storage.readKey(model);
    if (stored === null || !stored.startsWith(SEAL)) return stored;
    const key = await this.#key();
    // What does not open was changed, or sealed with another passphrase: it can only be entered anew.
    return key === null ? "locked" : open(key, stored.slice(SEAL.length)).catch(() => "locked" as const);
  }

  /** False: it could not be kept, because the vault is locked. */
  async save(model: string, value: string | null): Promise<boolean> {
    if (value === null || (await this.#header()) === null) {
      await this.#parts.storage.saveKey(model, value);
      return true;
    }
    const key = await this.#key();
    if (key === null) return false;
    await this.#parts.storage.saveKey(model, SEAL + (await seal(key, value)));
    return true;
  }

  /** Seals all keys with a first or another passphrase. */
  async setPassphrase(passphrase: string): Promise<Receipt> {
    if (passphrase.length < 8) throw refused("short_passphrase", "A passphrase needs at least 8 characters.", "Several words are best.");
    const values = await this.#all();
    const salt = crypto.getRandomValues(new Uint8Array(16));
    const rounds = this.#parts.rounds ?? ROUNDS;
    const key = await derive(passphrase, salt, rounds);
    const sealed = await Promise.all(values.map(async ([model, value]) => [model, SEAL + (await seal(key, value))] as const));
    const header: Header = { salt: encode(salt), rounds, check: await seal(key, CHECK) };
    // The header first: a key that is sealed and has no header could never be opened again.
    await this.#parts.storage.saveSetting(HEADER, header);
    for (const [model, value] of sealed) await this.#parts.storage.saveKey(model, value);
    await this.#remember(key);
    return { message: `${sealed.length} ${sealed.length === 1 ? "key is" : "keys are"} sealed with your passphrase. It is asked for after each start of the browser; without it they cannot be read by anyone.` };
  }

  async unlock(passphrase: string): Promise<Receipt> {
    const header = await this.#header();
    if (header === null) throw refused("no_passphrase", "No passphrase was set.", "Set one in the settings.");
    const key = await derive(passphrase, decode(header.salt), header.rounds);
    if ((await open(key, header.check).catch(() => null)) !== CHECK) throw refused("wrong_passphrase", "This is not the passphrase.", "Try again; keys can also be removed and entered anew.");
    await this.#remember(key);
    return { message: "Keys are unlocked until the browser closes." };
  }

  async lock(): Promise<Receipt> {
    await this.#parts.memory.remove(UNLOCKED);
    return { message: "Keys are locked." };
  }

  /** Keys are kept as they are from now on. */
  async removePassphrase(passphrase: string): Promise<Receipt> {
    await this.unlock(passphrase);
    for (const [model, value] of await this.#all()) await this.#parts.storage.saveKey(model, value);
    await this.#parts.storage.saveSetting(HEADER, null);
    await this.#parts.memory.remove(UNLOCKED);
    return { message: "Keys are stored in this browser profile, not encrypted." };
  }

  /** All keys in the clear; refused while they are locked. */
  async #all(): Promise<readonly (readonly [string, string])[]> {
    const all: (readonly [string, string])[] = [];
    for (const { id } of await this.#parts.storage.listModels()) {
      const value = await this.read(id);
      if (value === "locked") throw refused("locked", "The keys are locked.", "Unlock them first.");
      if (value !== null) all.push([id, value]);
    }
    return all;
  }

  async #header(): Promise<Header | null> {
    const value = await this.#parts.storage.readSetting(HEADER);
    return typeof value === "object" && value !== null && "check" in value ? (value as Header) : null;
  }

  async #key(): Promise<CryptoKey | null> {
    const raw = await this.#parts.memory.get(UNLOCKED);
    return typeof raw === "string" ? crypto.subtle.importKey("raw", decode(raw), "AES-GCM", true, ["encrypt", "decrypt"]) : null;
  }

  async #remember(key: CryptoKey): Promise<void> {
    await this.#parts.memory.set(UNLOCKED, encode(new Uint8Array(await crypto.subtle.exportKey("raw", key))));
  }
}

const SEAL = "sealed:";
const NONCE_BYTES = 12;

async function derive(passphrase: string, salt: Uint8Array<ArrayBuffer>, rounds: number): Promise<CryptoKey> {
  const secret = await crypto.subtle.importKey("raw", new TextEncoder().encode(passphrase.normalize("NFKC")), "PBKDF2", false, ["deriveKey"]);
  return crypto.subtle.deriveKey({ name: "PBKDF2", hash: "SHA-256", salt, iterations: rounds }, secret, { name: "AES-GCM", length: 256 }, true, ["encrypt", "decrypt"]);
}

async function seal(key: CryptoKey, text: string): Promise<string> {
  const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
  const data = new Uint8Array(await crypto.subtle.encrypt({ name: "AES-GCM", iv: nonce }, key, new TextEncoder().encode(text)));
  return encode(new Uint8Array([...nonce, ...data]));
}

async function open(key: CryptoKey, sealed: string): Promise<string> {
  const bytes = decode(sealed);
  return new TextDecoder().decode(await crypto.subtle.decrypt({ name: "AES-GCM", iv: bytes.slice(0, NONCE_BYTES) }, key, bytes.slice(NONCE_BYTES)));
}

function encode(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}

function decode(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}

function refused(code: string, message: string, hint: string): IntentFault {
  return new IntentFault({ code, message, hint, retryable: false });
}
