// The model's list of what is to be done. It lives in the log: the newest list counts, and it outlasts every compaction.
import { z } from "zod";
import type { SessionLog } from "../log.ts";
import { done, loopTool } from "./loop-tool.ts";

const itemSchema = z.object({ text: z.string().min(1).max(300), status: z.enum(["pending", "in_progress", "done"]) });
const paramsSchema = z.object({ items: z.array(itemSchema).max(50).describe("The whole list, in order; it replaces the one before") });

export type Todo = z.infer<typeof itemSchema>;

export const todo = loopTool({
  name: "todo",
  description: "Replaces your list of what is to be done for this task. Use it for work of three or more steps, and keep it up to date.",
  params: paramsSchema,
  readOnly: true,
  run: ({ items }) => done(items.length === 0 ? "The list is empty." : wordsOf(items)),
});

/** The newest list of this conversation. */
export function todosOf(log: SessionLog): readonly Todo[] {
  const call = log.turns
    .flatMap((turn) => turn.steps)
    .flatMap((step) => step.calls)
    .findLast((each) => each.tool === "todo" && each.result?.isError === false);
  const params = paramsSchema.safeParse(call?.args);
  return params.success ? params.data.items : [];
}

export function wordsOf(items: readonly Todo[]): string {
  const marks = { pending: "[ ]", in_progress: "[~]", done: "[x]" };
  return items.map(({ text, status }) => `${marks[status]} ${text}`).join("\n");
}
