/** The approval card and the bar that says what waits. */
import { plural } from "./numbers.ts";

export const approval = {
  bar: (what: string) => `Waiting for you: ${what}`,
  more: (count: number) => `and ${count} more`,
  show: "Show",
  title: (tool: string) => `Approve ${tool}?`,
  groupTitle: (count: number) => `Approve ${plural(count, "change", "changes")}?`,
  inWorkspace: (workspace: string) => `in ${workspace}`,
  why: "Why it asks",
  undoable: "can be undone",
  notUndoable: "cannot be undone",
  allow: "Allow",
  allowSome: (chosen: number, count: number) => (chosen === count ? `Allow all ${count}` : `Allow ${chosen} of ${count}`),
  deny: "Deny",
  denyAll: "Deny all",
  denyAllSure: "Really all?",
  denyNote: "Deny + note",
  note: "Tell the agent what to do instead",
  sendNote: "Deny and send",
  unread: (count: number) => `${plural(count, "part", "parts")} not read yet`,
  openAll: "Open all",
  answered: "Sending your answer",
  command: { program: "Program", arguments: "Arguments", folder: "Folder", environment: "Environment", network: "Network", sandbox: "Sandbox", timeout: "Stops after", on: "allowed", off: "off", passedOn: "passed on from the host, not shown", workspaceRoot: "workspace root", blockedReadable: "This command can read files that are blocked for the agent." },
  stage: { stage: "Stage for the next commit", unstage: "Take out of the next commit" },
  commit: { message: "Message", author: "Author", branch: "Branch", amend: "replaces the last commit", hooks: "Hooks that will run", noHooks: "No hooks will run", unsigned: "Signing is configured, but this commit will not be signed." },
  files: { create: "new", overwrite: "overwrite", append: "append", edit: "edit", delete: "delete", rename: "new name", copy: "copy", createFolder: "new folder", from: "from", entries: (count: number) => plural(count, "entry", "entries"), executable: "executable", ordinary: "ordinary file", link: "symbolic link", submodule: "submodule", permissions: (mode: string) => `permissions ${mode}`, bytes: (before: string, after: string) => `${before} → ${after}`, noLines: "No lines change", allGoes: "All of it is deleted", notShown: "Its content is not shown line by line", count: (count: number) => plural(count, "file", "files") },
};
