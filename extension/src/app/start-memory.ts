// The starts in vain, where they outlive an idle background: in the memory that ends with the browser.
import type { StartMemory } from "../host/connection.ts";
import type { SessionMemory } from "./key-vault.ts";

const NAME = "starts-in-vain";

export function startMemory(memory: SessionMemory): StartMemory {
  return {
    read: async () => {
      const told = await memory.get(NAME);
      if (typeof told !== "object" || told === null || !("count" in told) || typeof told.count !== "number") return null;
      return { count: told.count, detail: "detail" in told && typeof told.detail === "string" ? told.detail : null };
    },
    // Not kept: the next background counts from where this one began.
    write: (starts) => (starts === null ? memory.remove(NAME) : memory.set(NAME, starts)).catch(() => {}),
  };
}
