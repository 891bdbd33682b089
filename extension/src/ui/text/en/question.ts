/** Questions of the agent. */
export const question = {
  landmark: "The agent asks",
  send: "Send answer",
  skip: "I don't want to answer",
  open: (link: string) => `Open ${link}`,
  optional: (label: string) => `${label} (optional)`,
  yes: "Yes",
  no: "No",
};
