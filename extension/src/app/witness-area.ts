// Where the witness of the database stands: the extension's own storage area, which is not IndexedDB.
import { browser } from "wxt/browser";
import type { WitnessArea } from "../storage/witness.ts";

const NAME = "witness";

export const witnessArea: WitnessArea = {
  read: async () => (await browser.storage.local.get(NAME))[NAME],
  write: (record) => browser.storage.local.set({ [NAME]: record }),
};
