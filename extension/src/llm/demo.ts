import type { Model } from "./model.ts";
export const DEMO_LABEL = "Demo (no network)";
export function demoModel(): Model {
  return {
    label: DEMO_LABEL,
    async *stream() {
      yield { type: "text", text: "demo" };
      yield { type: "finish", reason: "stop", usage: null, providerData: null };
    },
  };
}
