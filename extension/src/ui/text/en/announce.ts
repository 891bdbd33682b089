/** What the announcer says. */
export const announce = {
  done: "The turn is done.",
  failed: "The turn failed.",
  cancelled: "The turn was stopped.",
  paused: "The agent paused and waits for you.",
  asks: (question: string) => `The agent asks you: ${question}`,
  waiting: (what: string) => `Your approval is needed: ${what}`,
  elsewhere: {
    needs_you: (title: string) => `“${title}” needs you.`,
    done: (title: string) => `“${title}” is done.`,
    failed: (title: string) => `“${title}” failed.`,
  },
};
