// The model's list of what is to be done. It lives in the log: the newest list counts, and it outlasts every compaction.
import { z } from "zod";
import { LONGEST_TODO, MOST_TODOS, type Todo, TODO_STATUSES, wordsOf } from "../todos.ts";
import { done, loopTool } from "./loop-tool.ts";

const itemSchema: z.ZodType<Todo> = z.object({ text: z.string().min(1).max(LONGEST_TODO), status: z.enum(TODO_STATUSES) });

export const todoParams = z.object({ items: z.array(itemSchema).max(MOST_TODOS).describe("The whole list, in order; it replaces the one before") });

export const todo = loopTool({
  name: "todo",
  description: "Replaces your list of what is to be done for this task. Use it for work of three or more steps, and keep it up to date.",
  params: todoParams,
  readOnly: true,
  run: ({ items }) => done(items.length === 0 ? "The list is empty." : wordsOf(items)),
});
