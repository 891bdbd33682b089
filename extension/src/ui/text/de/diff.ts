/** Changes of files, line by line. */
import type { Catalogue } from "../catalogue.ts";
import { plural } from "./numbers.ts";

export const diff: Catalogue["diff"] = {
  line: (number) => `Zeile ${number}`,
  added: (count) => `+${count}`,
  removed: (count) => `−${count}`,
  label: (path) => `Änderungen in ${path}`,
  summary: (added, removed) => `${plural(added, "Zeile", "Zeilen")} hinzugefügt, ${removed} entfernt`,
  expand: (count) => `Alle ${count} Zeilen zeigen`,
  noNewline: "kein Zeilenende am Ende der Datei",
  ends: { lf: "LF", crlf: "CRLF", mixed: "gemischt" },
  lineEnds: (before, after) => `Zeilenenden ${before} → ${after}`,
  someLineEnds: "einige Zeilen bekommen andere Zeilenenden",
};
