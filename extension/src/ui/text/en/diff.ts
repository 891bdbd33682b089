/** Changes of files, line by line. */
import { plural } from "./numbers.ts";

export const diff = {
  line: (number: number) => `line ${number}`,
  added: (count: number) => `+${count}`,
  removed: (count: number) => `−${count}`,
  label: (path: string) => `Changes in ${path}`,
  summary: (added: number, removed: number) => `${plural(added, "line", "lines")} added, ${removed} removed`,
  expand: (count: number) => `Show all ${count} lines`,
  noNewline: "no line end at the end of the file",
  ends: { lf: "LF", crlf: "CRLF", mixed: "mixed" },
  lineEnds: (before: string, after: string) => `line ends ${before} → ${after}`,
  someLineEnds: "some lines get other line ends",
};
