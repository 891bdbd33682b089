// What the host and the log say is said again in the reader's language, and never hidden where it is not known.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { LANGUAGES } from "../text/all-languages.ts";
import { checkWords, conflictWords, noteWords, noticeWords, sandboxWords, workspaceWords } from "./host-words.ts";

const { en, de, zh } = LANGUAGES;
const host = (file: string) => readFileSync(new URL(`../../../../src/${file}`, import.meta.url), "utf8");

/** Sentences of the host's own source, so that a change there is seen here. */
const plan = host("server/undo_plan.rs");
const conflicts = [...[...plan.matchAll(/"((?:it|something|another)[^"{}]+)"\.to_owned\(\)/g)].map(([, words]) => String(words)), ...[...plan.matchAll(/format!\("([^"]+)"/g)].map(([, words]) => String(words).replaceAll("{}", "d/a.txt").replace("{why}", "it has changed since").replace("{bytes}", "12"))];

test("every conflict the host can name has words in every language", () => {
  expect(conflicts.length).toBeGreaterThan(5);
  for (const conflict of conflicts) {
    for (const language of [de, zh]) expect(conflictWords(conflict, language), conflict).not.toBe(conflict);
  }
  expect(conflictWords("something of a newer host", de)).toBe("something of a newer host");
});

test("a note of a diff, as the host writes it", () => {
  const note = /"\\\\ (No newline[^"]+)"/u.exec(host("tools/diff.rs"))?.[1] ?? "";
  expect(note).not.toBe("");
  for (const language of [en, de, zh]) expect(noteWords(note, language)).toBe(language.diff.noNewline);
  expect(noteWords("something of a newer host", de)).toBe("something of a newer host");
});

test("why a folder cannot be opened, by what the system says of it", () => {
  const sentence = /#\[error\("(the workspace [^"]+ cannot be opened [^"]+)"\)\]/u.exec(host("workspace/error.rs"))?.[1] ?? "";
  const told = (source: string) => sentence.replace("{workspace}", "app").replace("{root}", "/home/ada/a `b`: c").replace("{source}", source);
  expect(told("x")).toContain("cannot be opened");
  for (const [source, name] of [["No such file or directory (os error 2)", "gone"], ["The system cannot find the path specified. (os error 3)", "gone"], ["Permission denied (os error 13)", "denied"], ["Access is denied. (os error 5)", "denied"], ["Not a directory (os error 20)", "noFolder"]] as const) {
    for (const language of [en, de, zh]) expect(workspaceWords(told(source), language)).toBe(language.host.folders[name]);
  }
  expect(workspaceWords(told("Input/output error (os error 5)"), de)).toContain("Input/output error (os error 5)");
  expect(workspaceWords("something of a newer host", de)).toBe("something of a newer host");
});

test("what happened to a turn meanwhile, as the log has it", () => {
  const source = readFileSync(new URL("../../agent/recover.ts", import.meta.url), "utf8");
  const notices = [...source.matchAll(/recovered\(turn\.id, (["`])(.+?)\1\)/g)].map(([, , words]) => String(words).replace(/\$\{.+?\}/u, "fs_edit"));
  expect(notices.length).toBe(2);
  for (const notice of notices) {
    for (const language of [de, zh]) expect(noticeWords(notice, language), notice).not.toBe(notice);
  }
});

test("what confines a command, part by part", () => {
  const told = "landlock+seccomp: it can change files only below `/home/ada/app`, and a temporary folder of its own; in those everything, `.git` and protected files too; it can change modes, times and attributes of your other files; it can read what you can read, blocked files too; it has no network, not even to this machine, and no sockets to other programs";
  expect(sandboxWords(told, en)[0]).toBe("Changes files only below `/home/ada/app` and in a temporary folder of its own");
  for (const language of [de, zh]) {
    const lines = sandboxWords(told, language);
    expect(lines).toHaveLength(5);
    for (const line of lines) expect(told).not.toContain(line);
  }
  expect(sandboxWords("none: the command runs with all rights of your account; it can read and change any file you can, blocked and protected ones too, and use the network", de)).toEqual([de.host.sandbox.none, de.host.sandbox.everything]);
});

test("the doctor's checks have a name in other languages; in English the host's sentence is enough", () => {
  expect(checkWords("manifest.present", de)).toBe("Das Manifest ist da");
  expect(checkWords("manifest.present", en)).toBeNull();
  expect(checkWords("something.new", zh)).toBeNull();
});
