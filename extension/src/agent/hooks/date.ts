// Tells the model which day it is: it was trained on earlier ones. By the day only, so that the prompt stays the same for its cache.
import type { Hook } from "./hook.ts";

export const date: Hook = {
  id: "date",
  summary: "Tells the model today's date.",
  isDefault: true,
  promptPart: ({ day }) => `Today is ${day}.`,
};
