/**
 * What the host and the log say in English, in the reader's language: why a file is not put back, what confines a command,
 * what happened to a turn while nobody looked. Unknown sentences stay as they are.
 */
import type { Catalogue } from "../text/catalogue.ts";
import { type Patterns, said } from "../text/said.ts";

type Words<Group extends keyof Catalogue["host"]> = Patterns<Extract<keyof Catalogue["host"][Group], string>>;

const CONFLICTS: Words<"conflicts"> = [
  [/^it has changed since$/u, "changed"],
  [/^it has changed since, and its (\d+) bytes are too many to be kept$/u, "tooLarge"],
  [/^it was deleted since$/u, "deleted"],
  [/^it was created since$/u, "created"],
  [/^it is a folder by now$/u, "folder"],
  [/^it is a symbolic link by now$/u, "link"],
  [/^something else changed it in the middle of the turn$/u, "between"],
  [/^its (\d+) bytes of then are no longer kept$/u, "notKept"],
  [/^the bytes are no longer kept, or it is no regular file$/u, "bytesGone"],
  [/^another host process is at it$/u, "elsewhere"],
  [/^`([^`]*)` is something else by now$/u, "above"],
  [/^it is a folder, and `([^`]*)` in it stays$/u, "inside"],
  [/^`[^`]*` is below a link or a file, not in a folder$/u, "below"],
];

const NOTICES: Words<"notices"> = [
  [/^The answer was cut off by a restart and is asked for again\.$/u, "askedAgain"],
  [/^The engine restarted while (.+) ran; the host says what became of it\.$/u, "restarted"],
];

const SANDBOX: Words<"sandbox"> = [
  [/^none: the command runs with all rights of your account$/u, "none"],
  [/^it can read and change any file you can, blocked and protected ones too, and use the network$/u, "everything"],
  [/^(?:[a-z0-9+ ]+: )?it can change files only below a temporary folder of its own$/iu, "onlyTemporary"],
  [/^(?:[a-z0-9+ ]+: )?it can change files only below (.+?),? and a temporary folder of its own$/iu, "below"],
  [/^(?:[a-z0-9+ ]+: )?this kernel has no Landlock: it can change any file you can$/iu, "anyFile"],
  [/^in those everything, `\.git` and protected files too$/u, "allInThose"],
  [/^it can empty other files, which this kernel's Landlock does not prevent$/u, "canEmpty"],
  [/^it can change modes, times and attributes of your other files$/u, "canMark"],
  [/^it can end other programs of yours$/u, "canEnd"],
  [/^it can read what you can read, blocked files too$/u, "reads"],
  [/^it has no network, not even to this machine, and no sockets to other programs$/u, "noNetwork"],
  [/^the network is open to it, and with it the programs of this machine that listen$/u, "openNetwork"],
];

/** Why a folder cannot be opened: what the system calls it, by its own sentences and numbers. */
const FOLDERS: Words<"folders"> = [
  [/^the workspace `[^`]*` cannot be opened at `.*`: (?:No such file or directory|.*\(os error 3\)|The system cannot find .*)/u, "gone"],
  [/^the workspace `[^`]*` cannot be opened at `.*`: (?:Permission denied|Operation not permitted|Access is denied)/u, "denied"],
  [/^the workspace `[^`]*` cannot be opened at `.*`: (?:Not a directory|The directory name is invalid)/u, "noFolder"],
  [/^the workspace `[^`]*` cannot be opened at `.*`: (.+)$/u, "other"],
];

const NOTES: Patterns<"noNewline"> = [[/^No newline at end of file$/u, "noNewline"]];

export function workspaceWords(reason: string, text: Catalogue): string {
  return said(reason, FOLDERS, text.host.folders);
}

export function conflictWords(conflict: string, text: Catalogue): string {
  return said(conflict, CONFLICTS, text.host.conflicts);
}

export function noticeWords(notice: string, text: Catalogue): string {
  return said(notice, NOTICES, text.host.notices);
}

/** Of a line in a diff that is none of the file's. */
export function noteWords(note: string, text: Catalogue): string {
  return said(note, NOTES, text.diff);
}

/** In the place of a value that the host hands over from its own environment, and does not show. */
export function isPassedOn(value: string): boolean {
  return value === "(passed on from the host)";
}

/** One line for each thing that holds; but for those in `told`, which are said beside it already. */
export function sandboxWords(sandbox: string, text: Catalogue, told: readonly (keyof Catalogue["host"]["sandbox"])[] = []): readonly string[] {
  const isTold = (part: string) => SANDBOX.some(([pattern, name]) => told.includes(name) && pattern.test(part));
  return sandbox.split("; ").filter((part) => !isTold(part)).map((part) => said(part, SANDBOX, text.host.sandbox));
}

/** What a check of the doctor looks at; null where the host's own sentence says it in the reader's language, or the check is not known here. */
export function checkWords(check: string, text: Catalogue): string | null {
  const { checks } = text.host;
  return text.language.tag !== "en" && Object.hasOwn(checks, check) ? checks[check as keyof typeof checks] : null;
}
