// A title for a conversation, by the browser's own model: nothing leaves the machine, and nothing is paid for it.
import type { SessionLog } from "../agent/log.ts";
import type { Model } from "../llm/model.ts";

const LONGEST = 60;
/** It sees the beginning: its window is small. */
const SEEN = 1_500;
const PATIENCE_MS = 20_000;

const SYSTEM = "You write the title of a conversation: at most six words, in its language, no quotes, no full stop. Answer with the title alone.";

/** Null: there is no use in a title, or none came. What a person named stays as it is. */
export async function makeTitle(log: SessionLog, model: Model): Promise<string | null> {
  const [turn] = log.turns;
  if (turn === undefined || log.title !== null || log.origin !== null) return null;
  const answer = turn.steps.findLast(({ text }) => text !== "")?.text ?? "";
  let said = "";
  try {
    const messages = [{ role: "user" as const, text: `${turn.text.slice(0, SEEN)}\n\n${answer.slice(0, SEEN)}` }];
    for await (const part of model.stream({ system: SYSTEM, messages, tools: [], signal: AbortSignal.timeout(PATIENCE_MS) })) if (part.type === "text") said += part.text;
  } catch {
    return null;
  }
  const line = (said.trim().split("\n", 1)[0] ?? "").replaceAll(/^["'“”«»「]+|["'“”«»」.]+$/g, "").trim();
  return line === "" || [...line].length > LONGEST ? null : line;
}
