// The model's list of what is to be done, as the log has it. Pure, and without the tool that writes it: views read it, too.
import { onceEach } from "../lib/once-each.ts";
import type { SessionLog, TurnLog } from "./log.ts";

export const TODO_STATUSES = ["pending", "in_progress", "done"] as const;
export const MOST_TODOS = 50;
export const LONGEST_TODO = 300;

export interface Todo {
  text: string;
  status: (typeof TODO_STATUSES)[number];
}

/** The newest list of this conversation. */
export function todosOf({ turns }: SessionLog): readonly Todo[] {
  for (let place = turns.length - 1; place >= 0; place -= 1) {
    const list = listIn(turns[place] as TurnLog);
    if (list !== null) return list;
  }
  return NONE;
}

const NONE: readonly Todo[] = [];

/** Null: nothing was listed in it. For each word that streams in, only the last turn is another one. */
const listIn = onceEach(({ steps }: TurnLog): readonly Todo[] | null => {
  const call = steps.flatMap(({ calls }) => calls).findLast((each) => each.tool === "todo" && each.result?.isError === false);
  return call === undefined ? null : (readTodos(call.args) ?? NONE);
});

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
