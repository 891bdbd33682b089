/**
 * A plan's title and reasons in the reader's language. The host says them in English, by fixed patterns with the facts in them;
 * what fits none of them is shown as it came, so that nothing is ever hidden.
 */
import { sandboxWords } from "../common/host-words.ts";
import type { Catalogue } from "../text/catalogue.ts";
import { type Patterns, said } from "../text/said.ts";
import { strangerNames } from "./stranger-names.ts";

type Acts = keyof Catalogue["plan"]["acts"];
type Reasons = Exclude<keyof Catalogue["plan"]["reasons"], "stale">;

const COUNTS = String.raw` \(\+(\d+) −(\d+)\)$`;

// The narrow ones first: a push that replaces is no plain push.
const ACTS: Patterns<Acts> = [
  [new RegExp(`^Edit (.+)${COUNTS}`, "u"), "edit"],
  [new RegExp(`^Create (.+)${COUNTS}`, "u"), "create"],
  [new RegExp(`^Overwrite (.+)${COUNTS}`, "u"), "overwrite"],
  [new RegExp(`^Append to (.+)${COUNTS}`, "u"), "append"],
  [new RegExp(`^Patch (\\d+) files?${COUNTS}`, "u"), "patch"],
  [/^Run (.+) in the background$/u, "runBehind"],
  [/^Run (.+)$/u, "run"],
  [/^Commit (\d+) files? to (.+)$/u, "commit"],
  [/^Amend the last commit with (\d+) files? on (.+)$/u, "amend"],
  [/^Stage (\d+) paths?$/u, "stage"],
  [/^Unstage (\d+) paths?$/u, "unstage"],
  [/^Delete the folder (.+) \((\d+) entr(?:y|ies), (\d+) bytes\)$/u, "removeFolder"],
  [/^Delete the link (.+) \(to (.+), which stays\)$/u, "removeLink"],
  [/^Delete (?!the )(.+) \((\d+) bytes\)$/u, "remove"],
  [/^Make the folder (.+)$/u, "folder"],
  [/^Restore (\d+) files? from (.+)$/u, "restore"],
  [/^Move (`[^`]+`) forward by (\d+) commits? to (.+), as fetched from (`[^`]+`) \((\d+) files?\)$/u, "forward"],
  [/^Move (.+) to (.+) \((\d+) entr(?:y|ies)\)$/u, "moveFolder"],
  [/^Move (.+) to (.+)$/u, "move"],
  [/^Copy (.+) to (.+) \((\d+) entr(?:y|ies)\)$/u, "copyFolder"],
  [/^Copy (.+) to (.+)$/u, "copy"],
  [/^Make and switch to (`[^`]+`) at (.+) from (.*) \((\d+) files?\)$/u, "branch"],
  [/^Switch to (`[^`]+`) at (.+) from (.*) \((\d+) files?\)$/u, "switch"],
  [/^Fetch all branches from (`[^`]+`) \((.*)\)$/u, "fetchAll"],
  [/^Fetch (`[^`]+`) from (`[^`]+`) \((.*)\)$/u, "fetch"],
  [/^Push the new branch (`[^`]+`), up to (\w+), to (`[^`]+`) \((.*)\)$/u, "pushNew"],
  [/^Push (\d+) commits? of (`[^`]+`), up to (\w+), to (`[^`]+`), where they replace (\d+) commits? \((.*)\)$/u, "pushOver"],
  [/^Push (\d+) commits? of (`[^`]+`), up to (\w+), to (`[^`]+`) \((.*)\)$/u, "push"],
];

// What stands in backticks keeps them: it is drawn as code.
const REASONS: Patterns<Reasons> = [
  [/^`[^`]+` asks before it changes something$/u, "batch"],
  [/^`[^`]+` asks each time$/u, "each"],
  [/^this command asks before it changes something$/u, "commandBatch"],
  [/^this command asks each time$/u, "commandEach"],
  [/^the configuration says that (`[^`]+`) asks (?:each time|before it changes something)$/u, "configured"],
  [/^(`[^`]+`) is a protected path: other programs act on what it says$/u, "protected"],
  [/^(`[^`]+`) is a protected path: other programs act on what it says, and (\d+) more are too$/u, "protectedMore"],
  [/^(`[^`]+`) is overwritten by a caller that did not say which version it read$/u, "unread"],
  [/^(`[^`]+`) becomes executable$/u, "executable"],
  [/^(`[^`]+`) is a branch that others build on$/u, "shared"],
  [/^it replaces the last commit$/u, "amends"],
  [/^the program (`[^`]+`) lies in a workspace, where it can be changed$/u, "inWorkspace"],
  [/^what runs its program, (`[^`]+`), lies in a workspace, where it can be changed$/u, "interpreterInWorkspace"],
  [/^it could change the workspace (`[^`]+`), which is read-only$/u, "readOnlyWorkspace"],
  [/^the workspace is read-only, but nothing keeps a command from writing to it$/u, "readOnlyOpen"],
  [/^nothing on this system keeps it from changing other files$/u, "unconfined"],
  [/^it could change (`[^`]+`), a file of outrigger's own$/u, "ownFile"],
  [/^it fetches from the network what may then run$/u, "fetches"],
  [/^(`[^`]+`) is deleted$/u, "deleted"],
  [/^(`[^`]+`) is moved$/u, "moved"],
  [/^(`[^`]+`) is replaced$/u, "replaced"],
  [/^(`[^`]+`) is replaced as a whole$/u, "replacedWhole"],
  [/^it may replace a file at (`[^`]+`), where there is none now$/u, "mayReplace"],
  [/^(`[^`]+`) holds (\d+) entr(?:y|ies)$/u, "holds"],
  [/^all of (`[^`]+`) goes, and the caller did not say how much it expects$/u, "allGoes"],
  [/^(\d+) bytes are more than can be kept \(\d+\): this cannot be undone$/u, "tooLargeToKeep"],
  [/^(`[^`]+`) runs as its owner: undo cannot give that back$/u, "setId"],
  [/^(`[^`]+`) is named as if it held a secret$/u, "secret"],
  [/^hooks of the repository run: (.+?); what confines them: (.+)$/u, "hooks"],
  [/^its hook (`[^`]+`), which git would run now, does not run$/u, "hookSkipped"],
  [/^a rule of yours says to ask always$/u, "ruleAsks"],
  [/^you had let a part of it through, and it is no longer the same$/u, "partly"],
  [/^the browser must be asked for (`[^`]+`) first$/u, "browserAsks"],
  [/^text of (.+) is in this conversation, so nothing runs by itself$/u, "strangers"],
];

const STALE: Patterns<keyof Catalogue["plan"]["reasons"]["stale"]> = [
  [/^approval_stale: (?:this plan|it) was used before$/u, "used"],
  [/^approval_stale: (?:the plan|it) has expired$/u, "expired"],
  [/^approval_stale: the plan was made by another run of the host, or for another call$/u, "otherRun"],
  [/^approval_stale: what would happen is no longer what was approved$/u, "changed"],
  [/^approval_stale: (.+)$/u, "other"],
];

export function actWords(summary: string, text: Catalogue): string {
  return said(summary, ACTS, text.plan.acts);
}

export function reasonWords(reason: string, text: Catalogue): string {
  const { stale, ...reasons } = text.plan.reasons;
  const { hooks, strangers } = reasons;
  const confined = (names: string, how: string) => hooks(names, sandboxWords(how, text).join("; "));
  return said(said(reason, STALE, stale), REASONS, { ...reasons, hooks: confined, strangers: (who: string) => strangers(strangerNames(who, text)) });
}
