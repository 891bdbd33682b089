/** The folder the agent works in. */
export const workspace = {
  label: "Workspace",
  readOnly: "read only",
  gone: "not there",
  loading: "Asking the host",
  none: "No folder yet",
  noneHint: "The agent works inside one folder, and only there. Choose yours.",
  addCommand: "outrigger workspace add DIR",
  addHint: "It appears here by itself.",
  addAnother: "Add a folder",
  pick: "Choose a folder",
  dialogOpen: "The system's folder dialog is open. It may stand behind this window.",
  byCommand: "With a command instead",
  added: (name: string) => `${name} is a workspace now`,
  known: (name: string) => `${name} was a workspace already`,
  pickFaults: {
    no_dialog: "This system shows no folder dialog. This command does the same:",
    dialog_failed: "The folder dialog could not be shown. This command does the same:",
    busy: "A folder dialog is open already. Finish that one first, or use the command:",
    not_allowed: "The configuration does not let the panel add folders. This command does it:",
    config: "The configuration cannot be changed from here. This command says why:",
  },
};
