// Asks once when the model ends with open items on its own list.
import { todosOf, wordsOf } from "../todos.ts";
import type { Hook } from "./hook.ts";

export const finishTodos: Hook = {
  id: "finish_todos",
  summary: "Asks the model once to go on when its own list still has open items.",
  isDefault: false,
  responseComplete: (_turn, log) => {
    const open = todosOf(log).filter((item) => item.status !== "done");
    return open.length === 0 ? null : `Your list still has open items:\n${wordsOf(open)}\nDo them, or say of each why it stays.`;
  },
};
