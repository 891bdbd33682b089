// The model's list of what is to be done, as the log has it. Pure, and without the tool that writes it: views read it, too.
import type { SessionLog } from "./log.ts";

export const TODO_STATUSES = ["pending", "in_progress", "done"] as const;
export const MOST_TODOS = 50;
export const LONGEST_TODO = 300;

export interface Todo {
  text: string;
  status: (typeof TODO_STATUSES)[number];
}

/** The newest list of this conversation. */
export function todosOf(log: SessionLog): readonly Todo[] {
  const call = log.turns
    .flatMap((turn) => turn.steps)
    .flatMap((step) => step.calls)
    .findLast((each) => each.tool === "todo" && each.result?.isError === false);
  return readTodos(call?.args) ?? [];
}

/** What the tool itself would take; null: it would not. */
export function readTodos(args: unknown): readonly Todo[] | null {
  const items: unknown = isRecord(args) ? args["items"] : null;
  if (!Array.isArray(items) || items.length > MOST_TODOS) return null;
  const read = items.map((item: unknown) => (isRecord(item) ? { text: item["text"], status: item["status"] } : {}));
  return read.every(isTodo) ? read : null;
}

export function wordsOf(items: readonly Todo[]): string {
  const marks = { pending: "[ ]", in_progress: "[~]", done: "[x]" };
  return items.map(({ text, status }) => `${marks[status]} ${text}`).join("\n");
}

function isTodo(item: { text?: unknown; status?: unknown }): item is Todo {
  return typeof item.text === "string" && item.text.length > 0 && item.text.length <= LONGEST_TODO && TODO_STATUSES.some((status) => status === item.status);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
