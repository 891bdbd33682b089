/** Words that many parts use. */
export const common = {
  loading: "Loading",
  now: "now",
  copy: "Copy",
  copied: "Copied",
  retry: "Try again",
  refused: "That did not work.",
  cancel: "Cancel",
  close: "Close",
  back: "Back",
  save: "Save",
  undo: "Undo",
  brokenPart: "This part could not be shown",
  noWorkspace: "No workspace",
  nothing: "none",
  chooseWorkspace: "Choose a workspace",
  chooseModel: "Choose a model",
  /** Of a character that stands as its code. */
  hidden: { turns: "turns the direction of the text", control: "a control character", unseen: "cannot be seen", alike: "looks like another character" },
};
