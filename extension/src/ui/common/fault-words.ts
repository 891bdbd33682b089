/** A fault in the reader's language, by its stable code; what was said exactly stays as a detail. What has no words here is shown as it came. */
import type { Fault } from "../../wire/events.ts";
import type { Catalogue } from "../text/catalogue.ts";

export interface FaultWords {
  readonly title: string;
  readonly hint: string | null;
  /** The original words, where they say more than the title. */
  readonly detail: string | null;
}

/** `model`: what the model is called that the turn was for. */
export function faultWords({ code, message, hint }: Pick<Fault, "code" | "message" | "hint">, text: Catalogue, model: string | null = null): FaultWords {
  const { models, engine } = text.faults;
  if (Object.hasOwn(models, code) && model !== null) {
    const words = models[code as keyof typeof models];
    return made(words.message(model), words.hint, message);
  }
  if (Object.hasOwn(engine, code)) {
    const words = engine[code as keyof typeof engine];
    return made(words.message, words.hint, message);
  }
  return { title: message, hint, detail: null };
}

export function pauseWords({ reason, message }: { readonly reason: string; readonly message: string }, text: Catalogue): string {
  const { pauses } = text.faults;
  if (!Object.hasOwn(pauses, reason)) return message;
  const words = pauses[reason as keyof typeof pauses];
  if (typeof words === "string") return words;
  const facts = message.match(/\d+(?:\.\d+)?/g) ?? [];
  // Without the facts that a sentence needs, the original says more.
  return facts.length < words.length ? message : (words as (...given: string[]) => string)(...(reason === "same_failure" ? facts.slice(-1) : facts));
}

function made(title: string, hint: string, original: string): FaultWords {
  const start = title.slice(0, -1);
  // What repeats the title says only the rest of it once more.
  const detail = original.startsWith(start) ? original.slice(start.length).replace(/^[.:]?\s*/u, "") : original;
  return { title, hint: hint === "" ? null : hint, detail: detail === "" ? null : detail };
}
