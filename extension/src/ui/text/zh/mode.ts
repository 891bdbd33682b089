/** What may happen without asking. */
import type { Catalogue } from "../catalogue.ts";

export const mode: Catalogue["mode"] = {
  label: "哪些操作无需询问",
  plan: "计划",
  planHint: "只读取，不改动任何东西。",
  ask: "询问",
  askHint: "每次改动前都询问。",
  accept_edits: "自动编辑",
  accept_editsHint: "自行编辑文件。运行命令和删除前仍会询问。",
};
