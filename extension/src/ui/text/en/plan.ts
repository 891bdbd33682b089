/** What the host says of a plan, for readers: what it would do, and why it asks. What is not known here is shown as it came. */
import { plural } from "../plural.ts";

export const plan = {
  acts: {
    edit: (path: string, added: string, removed: string) => `Edit ${path} (+${added} −${removed})`,
    create: (path: string, added: string, removed: string) => `Create ${path} (+${added} −${removed})`,
    overwrite: (path: string, added: string, removed: string) => `Overwrite ${path} (+${added} −${removed})`,
    append: (path: string, added: string, removed: string) => `Append to ${path} (+${added} −${removed})`,
    patch: (count: string, added: string, removed: string) => `Patch ${plural(Number(count), "file", "files")} (+${added} −${removed})`,
    run: (command: string) => `Run ${command}`,
    commit: (count: string, branch: string) => `Commit ${plural(Number(count), "file", "files")} to ${branch}`,
    stage: (count: string) => `Stage ${plural(Number(count), "path", "paths")}`,
    unstage: (count: string) => `Unstage ${plural(Number(count), "path", "paths")}`,
    remove: (path: string, bytes: string) => `Delete ${path} (${bytes} bytes)`,
    folder: (path: string) => `Make the folder ${path}`,
    restore: (count: string, from: string) => `Restore ${plural(Number(count), "file", "files")} from ${from}`,
  },
  reasons: {
    batch: (tool: string) => `${tool} asks before it changes something`,
    each: (tool: string) => `${tool} asks each time`,
    commandBatch: "This command asks before it changes something",
    commandEach: "This command asks each time",
    configured: (tool: string) => `The configuration makes ${tool} ask`,
    protected: (path: string) => `${path} is protected: other programs act on what it says`,
    unread: (path: string) => `${path} is overwritten without a word on which version was read`,
    executable: (path: string) => `${path} becomes executable`,
    shared: (branch: string) => `${branch} is a branch that others build on`,
    amends: "It replaces the last commit",
    strangers: (who: string) => `Text of ${who} is in this conversation, so nothing runs by itself`,
  },
};
