/** The conversation. */
import { plural } from "./numbers.ts";

export const chat = {
  log: "Conversation",
  you: "You",
  whole: "Show all of it",
  less: "Show less",
  agent: "Outrigger",
  thinking: "Thinking",
  thought: "Thought",
  working: "Working",
  jump: "Jump to latest",
  steps: (count: number) => plural(count, "step", "steps"),
  draft: "The answer stopped here.",
  attempt: (number: number) => `Attempt ${number}`,
  retryIn: (seconds: number) => `Trying again in ${seconds} s`,
  addressRefused: (address: string) => `The browser was not allowed to ask ${address}, so it was not tried again. Try again to be asked once more.`,
  retryNow: "Now",
  retryCancel: "Stop",
  goOn: "Continue",
  linkTo: (address: string) => `Opens ${address}`,
  image: (description: string) => `Image not loaded: ${description}`,
  turnState: { running: "Running", needs_you: "Needs you", complete: "Complete", cancelled: "Cancelled", failed: "Failed" },
  tokens: (input: string, output: string) => `${input} in, ${output} out`,
};
