/** What the announcer says. */
export const announce = {
  done: "The turn is done.",
  failed: "The turn failed.",
  cancelled: "The turn was stopped.",
  paused: "The agent paused and waits for you.",
  waiting: (what: string) => `Your approval is needed: ${what}`,
};
