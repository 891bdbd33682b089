/** The top line. */
import type { Catalogue } from "../catalogue.ts";

export const header: Catalogue["header"] = {
  landmark: "会话",
  newSession: "新会话",
  sessions: "全部会话",
  untitled: "新会话",
  waitingElsewhere: (count) => `另有 ${count} 个会话在等你`,
  storage: "存储",
  memoryOnly: "隐私窗口：会话只保留到窗口关闭为止。",
};
