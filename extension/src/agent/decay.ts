// Old outputs of tools give way to a line that says what they were and how to get them again. Pure.
//
// The log keeps them; only the prompt forgets. What decays does so in blocks, so that most prompts begin like the one before.
import { DECAY_BLOCK, DECAY_CHARACTERS, LIFETIME_STEPS, LIFETIME_TURNS, RESULT_CHARACTERS, RESULT_CHARACTERS_A_TOKEN, RESULT_CHARACTERS_LEAST } from "./limits.ts";
import type { CallLog, TurnLog } from "./log.ts";

/** Whether the results of this step are shown only as stubs now. */
export function hasDecayed(turns: readonly TurnLog[], turn: number, step: number): boolean {
  if (turns.length - turn > LIFETIME_TURNS) return true;
  const steps = turns[turn]?.steps.length ?? 0;
  const whole = Math.floor(Math.max(0, steps - LIFETIME_STEPS) / DECAY_BLOCK) * DECAY_BLOCK;
  return turn === turns.length - 1 && step < whole;
}

/**
 * In how many more turns this result is shown in full. 0: only the turn at hand has it whole; null: it stays, for it is short.
 * `"stub"`: it gave way already.
 */
export function lifetimeOf(turns: readonly TurnLog[], call: CallLog): number | "stub" | null {
  if ((call.result?.text.length ?? 0) <= DECAY_CHARACTERS) return null;
  const turn = turns.findLastIndex(({ steps }) => steps.some(({ calls }) => calls.includes(call)));
  const step = turns[turn]?.steps.findIndex(({ calls }) => calls.includes(call)) ?? -1;
  return hasDecayed(turns, turn, step) ? "stub" : LIFETIME_TURNS - (turns.length - turn);
}

/** The text of an old result. */
export function stubOf(call: CallLog, text: string): string {
  if (text.length <= DECAY_CHARACTERS) return text;
  const first = text.slice(0, 200).split("\n", 1)[0] ?? "";
  return `[${text.length} characters of output are left out here to save room. They began: ${first}]\n${again(call)}`;
}

/** Where one output alone would fill the window, its middle is left out. */
export function fittedOf(call: CallLog, text: string, window: number | null): string {
  const most = window === null ? RESULT_CHARACTERS : Math.min(RESULT_CHARACTERS, Math.max(RESULT_CHARACTERS_LEAST, window * RESULT_CHARACTERS_A_TOKEN));
  if (text.length <= most) return text;
  const head = Math.floor(most / 5);
  const handle = handleOf(call.result?.structured);
  return `${text.slice(0, head)}\n[${text.length - most} characters are left out here: the whole output does not fit. ${handle === null ? "Ask for a part of it." : `All of it is under \`${handle}\`.`}]\n${text.slice(text.length - (most - head))}`;
}

function again(call: CallLog): string {
  const handle = handleOf(call.result?.structured);
  if (call.readOnly) return `Call ${call.tool} again with the same arguments if you need it.`;
  return handle === null ? "It cannot be shown again; look at what it changed instead." : `Read it again from \`${handle}\` if you need it.`;
}

function handleOf(structured: unknown): string | null {
  if (typeof structured !== "object" || structured === null || !("handle" in structured)) return null;
  return typeof structured.handle === "string" ? structured.handle : null;
}
