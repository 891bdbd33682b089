/** The folder the agent works in. */
export const workspace = {
  label: "Workspace",
  readOnly: "read only",
  gone: "not there",
  loading: "Asking the host",
  none: "No workspace yet",
  noneHint: "The agent works inside one folder, and only there. Add yours:",
  addCommand: "outrigger workspace add DIR",
  addHint: "It appears here by itself.",
  addAnother: "Add another",
};
