/** Changes of files, line by line. */
import type { Catalogue } from "../catalogue.ts";

export const diff: Catalogue["diff"] = {
  line: (number) => `第 ${number} 行`,
  added: (count) => `+${count}`,
  removed: (count) => `−${count}`,
  label: (path) => `${path} 中的改动`,
  summary: (added, removed) => `新增 ${added} 行，删除 ${removed} 行`,
  expand: (count) => `显示全部 ${count} 行`,
  noNewline: "文件末尾没有换行符",
  ends: { lf: "LF", crlf: "CRLF", mixed: "混用" },
  lineEnds: (before, after) => `换行符 ${before} → ${after}`,
  someLineEnds: "部分行的换行符会改变",
};
