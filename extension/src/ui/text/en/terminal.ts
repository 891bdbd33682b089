/** The commands of a session. */
export const terminal = {
  none: "No command has run",
  noneHint: "What the agent runs in this session stands here, with its output as it comes.",
  output: "Output",
  copy: "Copy the output",
  kill: "End this command",
  folder: "in",
  silent: "Nothing printed yet",
  printedNothing: "It printed nothing",
  killAsked: "The command was told to end; the agent sees that you ended it.",
  exit: (code: number) => `exit ${code}`,
  ended: "ended",
  killed: "ended by force",
  killedBy: (signal: string) => `ended by ${signal}`,
  states: { running: "running", background: "in the background", failed: "could not run", waiting: "waits for you", denied: "denied", cancelled: "stopped" },
};
