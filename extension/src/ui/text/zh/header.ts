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
  views: "此会话的视图",
  screens: { chat: "对话", changes: "改动", terminal: "终端", history: "历史", settings: "设置", connection: "连接" },
  openTab: "在标签页中打开",
  keys: "快捷键",
};
