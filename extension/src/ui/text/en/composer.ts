/** The place to write. */
export const composer = {
  landmark: "Message",
  placeholders: {
    idle: "Describe a change, or ask about the code",
    running: "The agent is working",
    needs_you: "The agent waits for your answer",
    complete: "What is next?",
    cancelled: "What is next?",
    failed: "What is next?",
  },
  needsHost: "Connect the host first",
  needsWorkspace: "Choose a folder first",
  send: "Send",
  stop: "Stop",
  stopping: "Stopping",
  states: { idle: "", running: "Working, Esc stops", needs_you: "Waiting for you", complete: "", cancelled: "", failed: "" },
  stopAgain: "Escape once more stops the agent.",
};
