// The model that is built into some browsers (the Prompt API): small, on this machine, without calls. For titles, summaries, side questions.
import { ModelFault, type Model, type ModelRequest } from "./model.ts";

interface PromptApi {
  availability(): Promise<"unavailable" | "downloadable" | "downloading" | "available">;
  create(options: { initialPrompts: readonly { role: string; content: string }[]; signal: AbortSignal }): Promise<{ promptStreaming(text: string, options: { signal: AbortSignal }): ReadableStream<string>; destroy(): void }>;
}

export function browserModel({ label }: { readonly label: string }): Model {
  return {
    label,
    async *stream(request) {
      const api = promptApi();
      if (api === null || (await api.availability()) !== "available") {
        throw new ModelFault({ code: "no_browser_model", message: "This browser has no model of its own, or has not downloaded it.", hint: "Choose another model.", retryable: false });
      }
      const { before, last } = split(request);
      const session = await api.create({ initialPrompts: before, signal: request.signal });
      try {
        yield { type: "accepted", requestId: null };
        const reader = session.promptStreaming(last, { signal: request.signal }).getReader();
        for (;;) {
          const { done, value } = await reader.read();
          if (done) break;
          yield { type: "text", text: value };
        }
        yield { type: "finish", reason: "stop", usage: null, providerData: null };
      } catch (error) {
        if (request.signal.aborted || error instanceof ModelFault) throw error;
        throw new ModelFault({ code: "browser_model", message: `The browser's model failed: ${error instanceof Error ? error.message : String(error)}`, hint: "The conversation may be too long for it.", retryable: false });
      } finally {
        session.destroy();
      }
    },
  };
}

/** Whether there is one that could be offered. */
export async function hasBrowserModel(): Promise<boolean> {
  const api = promptApi();
  return api !== null && (await api.availability().catch(() => "unavailable")) === "available";
}

function promptApi(): PromptApi | null {
  const found: unknown = Reflect.get(globalThis, "LanguageModel");
  return (typeof found === "function" || typeof found === "object") && found !== null && "create" in found ? (found as PromptApi) : null;
}

function split(request: ModelRequest): { before: { role: string; content: string }[]; last: string } {
  const talk = request.messages.map((message) => ({ role: message.role === "assistant" ? "assistant" : "user", content: message.text }));
  return { before: [{ role: "system", content: request.system }, ...talk.slice(0, -1)], last: talk.at(-1)?.content ?? "" };
}
