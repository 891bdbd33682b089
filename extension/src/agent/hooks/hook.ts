// What a hook is: words and decisions beside the model's own, made from the log and from nothing else. Switched on and off by profiles.
//
// Hooks are ours: no code of others ever becomes one. Each part of one is a pure function, so that a log that is folded again says the same.
import type { CallLog, SessionLog, TurnLog } from "../log.ts";

export interface Hook {
  readonly id: string;
  /** For the list in the settings. */
  readonly summary: string;
  /** On where a profile does not say. */
  readonly isDefault: boolean;
  /** Added to the system prompt. The day of the request is the one thing that is not of the log. */
  promptPart?(context: HookContext): string | null;
  /** A turn begins with this message: a word that goes with it. */
  messageReceived?(turn: TurnLog, log: SessionLog): string | null;
  /** A step is over: a word on how things stand, once for each `key`. */
  status?(turn: TurnLog, log: SessionLog): { readonly key: string; readonly text: string } | null;
  /** The answer as far as it has come. A reason ends it. */
  responseDelta?(text: string): string | null;
  /** The model gave its final answer: a word makes it go on, once in a turn. */
  responseComplete?(turn: TurnLog, log: SessionLog): string | null;
  /** A call has its result. */
  toolDone?(call: CallLog, turn: TurnLog, log: SessionLog): string | null;
}

export interface HookContext {
  readonly log: SessionLog | null;
  /** `2026-11-21` */
  readonly day: string;
}
