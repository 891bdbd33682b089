/** Models and their servers. */
import type { Catalogue } from "../catalogue.ts";

export const model: Catalogue["model"] = {
  label: "Modell",
  demo: "Demo",
  notPermitted: "noch kein Zugriff",
  demoHint: "Eingebaut, ohne Netz. Zeigt, wie Outrigger arbeitet.",
  addServer: "Modellserver hinzufügen",
  intro: "Jeder Server, der das OpenAI-Protokoll spricht: Ollama, LM Studio, llama.cpp, vLLM, OpenRouter.",
  baseUrl: "Basisadresse",
  baseUrlHint: "Für Ollama: http://localhost:11434/v1",
  baseUrlWrong: "Das ist keine Adresse. Beispiel: http://localhost:11434/v1",
  name: "Name des Modells",
  nameHint: "So, wie der Server es nennt, zum Beispiel qwen3-coder:30b",
  key: "API-Schlüssel (wenn nötig)",
  keyHint: "Bleibt in diesem Browser, wird nie synchronisiert.",
  permission: (origin) => `Der Browser fragt gleich, ob Outrigger mit ${origin} sprechen darf.`,
  add: "Server hinzufügen",
  adding: "Fügt hinzu",
  refused: (origin) => `Der Browser hat keinen Zugriff auf ${origin} gegeben; der Server wurde nicht hinzugefügt.`,
  added: (name) => `${name} hinzugefügt`,
};
