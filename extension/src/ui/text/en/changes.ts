/** What a session changed. */
import { plural } from "./numbers.ts";

export const changes = {
  none: "Nothing was changed",
  noneHint: "Files that the agent changes in this session stand here, with the way back.",
  allTurns: "All turns",
  layout: "How changes are shown",
  unified: "Below each other",
  split: "Side by side",
  elsewhere: "Another branch, or a sub-agent",
  files: (count: number) => plural(count, "file", "files"),
  commands: (count: number) => `${plural(count, "command", "commands")} ran. What commands change is not known here, and not put back.`,
  undo: "Undo",
  undoFrom: "Undo from here on",
  redo: "Redo",
  undoFile: (path: string) => `Put ${path} back`,
  redoFile: (path: string) => `Change ${path} again`,
  isUndone: "taken back",
  isPartly: "partly taken back",
  did: {
    undo: (count: number) => `${plural(count, "file was", "files were")} put back`,
    redo: (count: number) => `${plural(count, "file was", "files were")} changed again`,
    replaced: (count: number) => `${plural(count, "file is", "files are")} as before the undo`,
  },
  nothingDone: "Nothing had to be done",
  conflictTitle: (count: number) => `${plural(count, "file has", "files have")} changed since`,
  conflictHint: "Nothing was done yet. A file that changed after this turn is only replaced if you say so.",
  folder: "A folder",
  binary: "No text",
  noLines: "No lines changed",
  ops: { create: "new", overwrite: "overwritten", append: "appended", delete: "deleted", rename: "renamed", move: "moved", copy: "copied", mkdir: "new folder" },
};
