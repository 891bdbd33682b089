// The card speaks the reader's language, and never hides what it does not know.
import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { LANGUAGES } from "../text/all-languages.ts";
import { actWords, reasonWords } from "./plan-words.ts";

const { en, de, zh } = LANGUAGES;

test.each([
  ["Edit src/sum (old).js (+2 −1)", "src/sum (old).js ändern (+2 −1)"],
  ["Patch 1 file (+3 −0)", "1 Datei ändern (+3 −0)"],
  ["Run node_test --test", "node_test --test ausführen"],
  ["Commit 2 files to main", "2 Dateien auf main committen"],
  ["Delete a/b.txt (12 bytes)", "a/b.txt löschen (12 Byte)"],
  ["Delete the folder a (3 entries, 12 bytes)", "Ordner a löschen (3 Einträge, 12 Byte)"],
  ["Delete the link a (to b c, which stays)", "Verknüpfung a löschen (b c bleibt)"],
  ["Amend the last commit with 1 file on main", "Letzten Commit auf main ersetzen, mit 1 Datei"],
  ["Move a to b", "a nach b verschieben"],
  ["Move a to b (1 entry)", "a nach b verschieben (1 Eintrag)"],
  ["Move `main` forward by 2 commits to 1a2b3c4d5e, as fetched from `origin` (3 files)", "`main` um 2 Commits vorrücken bis 1a2b3c4d5e, wie von `origin` geholt (3 Dateien)"],
  ["Copy a to b (4 entries)", "a nach b kopieren (4 Einträge)"],
  ["Make and switch to `x` at 1a2b3c4d5e from `main` (0 files)", "Branch `x` bei 1a2b3c4d5e anlegen und dorthin wechseln, von `main` (0 Dateien)"],
  ["Switch to `x` at 1a2b3c4d5e from `main` (1 file)", "Zu `x` bei 1a2b3c4d5e wechseln, von `main` (1 Datei)"],
  ["Fetch all branches from `origin` (https://git.example/a.git)", "Alle Branches von `origin` holen (https://git.example/a.git)"],
  ["Push 2 commits of `main`, up to 1a2b3c4d5e, to `origin` (https://git.example/a.git)", "2 Commits von `main` bis 1a2b3c4d5e nach `origin` übertragen (https://git.example/a.git)"],
  ["Push 2 commits of `main`, up to 1a2b3c4d5e, to `origin`, where they replace 1 commit (u)", "2 Commits von `main` bis 1a2b3c4d5e nach `origin` übertragen, 1 Commit wird dort ersetzt (u)"],
  ["Push the new branch `x`, up to 1a2b3c4d5e, to `origin` (u)", "`x` bis 1a2b3c4d5e neu nach `origin` übertragen (u)"],
  ["Run npm test in the background", "npm test im Hintergrund ausführen"],
  ["Something of a newer host", "Something of a newer host"],
])("%s", (summary, words) => {
  expect(actWords(summary, de)).toBe(words);
  // In English it is what the host said.
  expect(actWords(summary, en)).toBe(summary);
});

test.each([
  ["`fs_edit` asks before it changes something", "Fragt, bevor sich etwas ändert"],
  ["`a/b.json` is a protected path: other programs act on what it says, and 2 more are too", "`a/b.json` und 2 weitere sind geschützt: Andere Programme richten sich danach"],
  ["hooks of the repository run: pre-commit; what confines them: landlock: it can end other programs of yours", "Hooks des Repositorys laufen: pre-commit. Was sie einschränkt: landlock: it can end other programs of yours"],
  ["hooks of the repository run: pre-commit; what confines them: seatbelt: it can change files only below a temporary folder of its own; it can read what you can read, blocked files too", "Hooks des Repositorys laufen: pre-commit. Was sie einschränkt: Ändert Dateien nur in einem eigenen temporären Ordner; Er kann lesen, was du lesen kannst, auch gesperrte Dateien"],
  ["a rule of yours says to ask always", "Eine deiner Regeln lässt immer fragen"],
  ["you had let a part of it through, and it is no longer the same", "Du hattest einen Teil davon zugelassen, und es ist nicht mehr dasselbe"],
  ["approval_stale: the plan has expired", "Du hattest es erlaubt, aber das ist zu lange her. Bitte antworte noch einmal."],
  ["text of docs.example.org is in this conversation, so nothing runs by itself", "Text von docs.example.org steht in diesem Gespräch, darum läuft nichts von selbst"],
  ["approval_stale: the file changed", "Du hattest es erlaubt, aber das gilt nicht mehr: the file changed"],
])("%s", (reason, words) => {
  expect(reasonWords(reason, de)).toBe(words);
  expect(reasonWords(reason, zh)).not.toBe("");
});

test("strangers are hosts by their names, and a file by what it is", () => {
  const reason = "text of docs.example.org, an imported file is in this conversation, so nothing runs by itself";
  expect(reasonWords(reason, de)).toBe("Text von docs.example.org, einer importierten Datei steht in diesem Gespräch, darum läuft nichts von selbst");
  expect(reasonWords(reason, zh)).toContain("docs.example.org, 导入的文件");
});

/** Every reason that the host gives for asking, as its sources have it, with something in the place of each fact. */
const REASON = /(?:\breason: |\breasons\.push\(\s*|\blet reason = )(?:format!\(\s*)?"((?:[^"\\]|\\.)*)"/gu;
const host = new URL("../../../../src/", import.meta.url).pathname;
const reasons = globSync("tools/**/*.rs", { cwd: host })
  .map((file) => readFileSync(host + file, "utf8").split("#[cfg(test)]")[0] ?? "")
  .filter((source) => source.includes("Raise {"))
  .flatMap((source) => [...source.matchAll(REASON)].map(([, reason = ""]) => reason))
  // Of a refusal, which is no reason to ask.
  .filter((reason) => !reason.startsWith("git's own data"));

test("the host's reasons are found in its sources", () => {
  expect(reasons.length).toBeGreaterThan(15);
  expect(reasons).toContain("it replaces the last commit");
});

test.each(reasons)("%s", (reason) => {
  // A fact is a name, a number, or so many of something; how many others there are is left out where there are none.
  const said = ["3", "`a`", "3 entries"].map((fact) => reason.replaceAll("{others}", "").replaceAll(/\{[^}]*\}/gu, fact));
  expect(said.some((words) => reasonWords(words, de) !== words), "a German panel would say it in English").toBe(true);
});
