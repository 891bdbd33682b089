/** The list of sessions. */
import type { Catalogue } from "../catalogue.ts";

export const sessions: Catalogue["sessions"] = {
  landmark: "会话",
  title: "会话",
  search: "搜索会话",
  none: "还没有会话",
  noneHint: "你提出的要求会成为一个会话，保存在这个浏览器里。",
  noMatch: "没有匹配的会话",
  rename: "重命名",
  renameLabel: "会话名称",
  delete: "删除",
  deleted: (title) => `已删除“${title}”`,
  more: (title) => `${title} 的更多操作`,
  states: { idle: "", running: "运行中", needs_you: "需要你", complete: "已完成", cancelled: "已停止", failed: "失败" },
};
