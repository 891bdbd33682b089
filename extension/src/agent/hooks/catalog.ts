// Every hook, once, and what those that are on have to say. Pure.
import type { SessionConfig } from "../events.ts";
import type { SessionLog, TurnLog } from "../log.ts";
import { cutRepetition } from "./cut-repetition.ts";
import { date } from "./date.ts";
import { finishTodos } from "./finish-todos.ts";
import type { Hook, HookContext } from "./hook.ts";
import { pageCaution } from "./page-caution.ts";
import { repeatedFailure } from "./repeated-failure.ts";
import { verifyChanges } from "./verify-changes.ts";
import { wrapUp } from "./wrap-up.ts";

export const HOOKS: readonly Hook[] = [date, pageCaution, repeatedFailure, wrapUp, cutRepetition, finishTodos, verifyChanges];

export function activeHooks({ hooks }: SessionConfig): readonly Hook[] {
  return HOOKS.filter(({ id, isDefault }) => (hooks === undefined ? isDefault : hooks.includes(id)));
}

export interface DueNote {
  readonly hook: string;
  /** Said once under it. */
  readonly key: string;
  readonly text: string;
}

export function promptParts(config: SessionConfig, context: HookContext): readonly { readonly hook: string; readonly text: string }[] {
  return activeHooks(config).flatMap((hook) => {
    const text = hook.promptPart?.(context) ?? null;
    return text === null ? [] : [{ hook: hook.id, text }];
  });
}

/** Before a step: what goes with the message, with the last results, and with how things stand. */
export function dueNotes(log: SessionLog, turn: TurnLog): readonly DueNote[] {
  const calls = turn.steps.at(-1)?.calls ?? [];
  const notes = activeHooks(turn.config).flatMap((hook): DueNote[] => {
    const message = turn.steps.length === 0 ? (hook.messageReceived?.(turn, log) ?? null) : null;
    const status = hook.status?.(turn, log) ?? null;
    return [
      ...(message === null ? [] : [{ hook: hook.id, key: `${hook.id}:message`, text: message }]),
      ...calls.flatMap((call) => {
        const text = hook.toolDone?.(call, turn, log) ?? null;
        return text === null ? [] : [{ hook: hook.id, key: `${hook.id}:${call.id}`, text }];
      }),
      ...(status === null ? [] : [{ hook: hook.id, key: `${hook.id}:${status.key}`, text: status.text }]),
    ];
  });
  return notes.filter(({ key }) => turn.notes.every((said) => said.key !== key));
}

/** After the model's final answer; each hook once in a turn. */
export function completionNotes(log: SessionLog, turn: TurnLog): readonly DueNote[] {
  return activeHooks(turn.config)
    .flatMap((hook): DueNote[] => {
      const text = hook.responseComplete?.(turn, log) ?? null;
      return text === null ? [] : [{ hook: hook.id, key: `${hook.id}:complete`, text }];
    })
    .filter(({ key }) => turn.notes.every((said) => said.key !== key));
}

/** Why this answer should end now; null: it may go on. */
export function reasonToCut(config: SessionConfig, text: string): string | null {
  for (const hook of activeHooks(config)) {
    const reason = hook.responseDelta?.(text) ?? null;
    if (reason !== null) return reason;
  }
  return null;
}
