// The browser's session storage: in memory, for our own pages alone, gone when the browser closes.
import { browser } from "wxt/browser";
import type { SessionMemory } from "./key-vault.ts";

export const sessionMemory: SessionMemory = {
  get: async (name) => (await browser.storage.session.get(name))[name],
  set: (name, value) => browser.storage.session.set({ [name]: value }),
  remove: (name) => browser.storage.session.remove(name),
};
