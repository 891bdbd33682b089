// The provider of a trial: another machine, which remembers what it was asked whatever dies here. It sees prompts and nothing else.
import { ModelFault, type Model, type ModelPart, type ModelRequest, type PromptMessage } from "../../llm/model.ts";
import { marked, tagsIn } from "./tags.ts";
import { answerAt, troubleAt, type Place } from "./tasks.ts";

export interface SeenRequest {
  readonly place: Place | null;
  readonly isSummary: boolean;
  readonly system: string;
  readonly messages: readonly PromptMessage[];
  readonly tools: readonly string[];
  readonly at: number;
  /** Events of all sessions that were stored by then. */
  readonly stored: number;
  /** Something of the answer was sent. */
  billed: boolean;
  /** All of it was sent. */
  whole: boolean;
}

export class Provider {
  readonly requests: SeenRequest[] = [];
  readonly #seed: number;
  readonly #stored: () => number;
  readonly #asked = new Map<string, number>();

  constructor(seed: number, stored: () => number) {
    this.#seed = seed;
    this.#stored = stored;
  }

  /** As one engine reaches it; a dead one asks nobody. */
  model(isDead: () => boolean): Model {
    return { label: "Trial", stream: (request) => this.#stream(request, isDead) };
  }

  async *#stream(request: ModelRequest, isDead: () => boolean): AsyncIterable<ModelPart> {
    if (isDead()) await new Promise<never>(() => {});
    const isSummary = request.system.startsWith("You summarise");
    const place = placeOf(isSummary ? request.messages.slice(0, -1) : request.messages);
    const seen: SeenRequest = {
      place,
      isSummary,
      system: request.system,
      messages: JSON.parse(JSON.stringify(request.messages)) as readonly PromptMessage[],
      tools: request.tools.map(({ name }) => name),
      at: Date.now(),
      stored: this.#stored(),
      billed: false,
      whole: false,
    };
    this.requests.push(seen);
    for await (const part of this.#parts(seen, place, isSummary)) {
      if (isDead()) await new Promise<never>(() => {});
      if (request.signal.aborted) return;
      seen.billed ||= part.type !== "accepted" && part.type !== "finish";
      seen.whole ||= part.type === "finish";
      yield part;
    }
  }

  async *#parts(seen: SeenRequest, place: Place | null, isSummary: boolean): AsyncIterable<ModelPart> {
    const key = `${isSummary ? "summary of " : ""}${place?.tag ?? "?"}.${place?.steps ?? 0}`;
    const asked = this.#count(key);
    const trouble = troubleAt(this.#seed, isSummary ? { tag: `summary of ${place?.tag}`, steps: place?.steps ?? 0 } : (place ?? { tag: "?", steps: 0 }));
    const isTroubled = asked <= trouble.times;
    if (isTroubled && trouble.kind === "silent") await new Promise<never>(() => {});
    if (isTroubled && trouble.kind === "refused_429") throw refused("rate_limited", true, asked === 1 ? 700 : null);
    if (isTroubled && trouble.kind === "refused_529") throw refused("overloaded", true, null);
    if (isTroubled && trouble.kind === "refused_401") throw refused("unauthorized", false, null);
    yield { type: "accepted", requestId: `r${this.requests.length}` };
    if (isSummary) {
      if (isTroubled && trouble.kind === "cut_text") {
        yield { type: "text", text: "So far" };
        throw refused("network", true, null);
      }
      if (!(isTroubled && trouble.kind === "empty")) yield { type: "text", text: `What was before. ${place === null ? "" : marked(place.tag, place.steps)}` };
      yield finish(isTroubled && trouble.kind === "too_long" ? "length" : "stop", 40);
      return;
    }
    if (place === null) {
      yield { type: "text", text: "Nothing is due." };
      yield finish("stop", 4);
      return;
    }
    const answer = answerAt(this.#seed, place, this.#count(place.tag), seen.tools);
    if (isTroubled && trouble.kind === "empty") return void (yield finish("stop", 0));
    if (answer.reasoning !== "") yield { type: "reasoning", text: answer.reasoning };
    for (const piece of answer.text.split(/(?<= )/u)) {
      if (piece === "") continue;
      yield { type: "text", text: piece };
      await pause(answer.pace);
      if (isTroubled && trouble.kind === "cut_text") throw refused("network", true, null);
    }
    for (const call of answer.calls) {
      yield { type: "call", ...call, providerData: null };
      await pause(answer.pace);
      if (isTroubled && trouble.kind === "cut_call") throw refused("network", true, null);
    }
    if (isTroubled && trouble.kind === "cut_end") throw refused("network", true, null);
    if (isTroubled && trouble.kind === "unfinished") return;
    yield finish(answer.calls.length > 0 ? "tool_calls" : isTroubled && trouble.kind === "too_long" ? "length" : "stop", 20);
  }

  #count(key: string): number {
    const count = (this.#asked.get(key) ?? 0) + 1;
    this.#asked.set(key, count);
    return count;
  }
}

/** What a prompt asks for, as a model would see it: the last thing that was said, and how far it got. Null: nothing of ours was said. */
export function placeOf(messages: readonly PromptMessage[]): Place | null {
  for (let at = messages.length - 1; at >= 0; at -= 1) {
    const message = messages[at];
    if (message?.role !== "user") continue;
    const tag = tagsIn(message.text).at(-1);
    if (tag !== undefined) return { tag: tag.name, steps: tag.steps + messages.slice(at + 1).filter(({ role }) => role === "assistant").length };
  }
  return null;
}

function refused(code: string, retryable: boolean, retryAfterMs: number | null): ModelFault {
  return new ModelFault({ code, message: `The provider says ${code}.`, hint: null, retryable }, retryAfterMs);
}

function finish(reason: "stop" | "tool_calls" | "length", outputTokens: number): ModelPart {
  return { type: "finish", reason, usage: { inputTokens: 100, outputTokens, cachedInputTokens: null, reasoningTokens: null }, providerData: null };
}

function pause(ms: number): Promise<void> {
  return ms === 0
    ? Promise.resolve()
    : new Promise((resolve) => {
        setTimeout(resolve, ms);
      });
}
