// Model servers on this machine, found by asking where they usually are. Nothing is asked where the browser does not let us.
import type { LocalServer } from "./views.ts";

/** Where they listen when nobody chose another port. */
const USUAL: readonly { readonly name: string; readonly port: number }[] = [
  { name: "Ollama", port: 11_434 },
  { name: "LM Studio", port: 1_234 },
  { name: "llama.cpp", port: 8_080 },
  { name: "vLLM or tldw_server", port: 8_000 },
  { name: "Jan", port: 1_337 },
];

/** A server on this machine answers at once, or is busy loading and found the next time. */
const PATIENCE_MS = 1_500;

export async function findLocalServers(ask: (baseUrl: string, signal: AbortSignal) => Promise<readonly string[]>, usual = USUAL): Promise<readonly LocalServer[]> {
  const found = await Promise.all(
    usual.map(async ({ name, port }): Promise<LocalServer | null> => {
      const baseUrl = `http://127.0.0.1:${port}/v1`;
      const models = await ask(baseUrl, AbortSignal.timeout(PATIENCE_MS)).catch(() => null);
      return models === null ? null : { name, baseUrl, models };
    }),
  );
  return found.filter((server) => server !== null);
}
