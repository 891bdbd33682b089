// The card speaks the reader's language, and never hides what it does not know.
import { expect, test } from "vitest";
import { LANGUAGES } from "../text/languages.ts";
import { actWords, reasonWords } from "./plan-words.ts";

const { en, de, zh } = LANGUAGES;

test.each([
  ["Edit src/sum (old).js (+2 −1)", "src/sum (old).js ändern (+2 −1)"],
  ["Patch 1 file (+3 −0)", "1 Datei ändern (+3 −0)"],
  ["Run node_test --test", "node_test --test ausführen"],
  ["Commit 2 files to main", "2 Dateien auf main committen"],
  ["Delete a/b.txt (12 bytes)", "a/b.txt löschen (12 Byte)"],
  ["Delete the folder a (3 entries, 12 bytes)", "Delete the folder a (3 entries, 12 bytes)"],
  ["Something of a newer host", "Something of a newer host"],
])("%s", (summary, words) => {
  expect(actWords(summary, de)).toBe(words);
  // In English it is what the host said.
  expect(actWords(summary, en)).toBe(summary);
});

test.each([
  ["`fs_edit` asks before it changes something", "`fs_edit` fragt, bevor es etwas ändert"],
  ["text of docs.example.org is in this conversation, so nothing runs by itself", "Text von docs.example.org steht in diesem Gespräch, darum läuft nichts von selbst"],
  ["approval_stale: the file changed", "approval_stale: the file changed"],
])("%s", (reason, words) => {
  expect(reasonWords(reason, de)).toBe(words);
  expect(reasonWords(reason, zh)).not.toBe("");
});
