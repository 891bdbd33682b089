// A message must say something.
import { IntentFault } from "./intent-fault.ts";

export function requireText(text: unknown): asserts text is string {
  if (typeof text === "string" && text.trim() !== "") return;
  throw new IntentFault({ code: "empty", message: "There is nothing to send.", hint: "Write something first.", retryable: false });
}
