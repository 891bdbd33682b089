/** The commands of a session. */
import type { Catalogue } from "../catalogue.ts";

export const terminal: Catalogue["terminal"] = {
  none: "还没有运行过命令",
  noneHint: "智能体在此会话中运行的命令会显示在这里，输出实时更新。",
  output: "输出",
  copy: "复制输出",
  kill: "结束此命令",
  folder: "位于",
  silent: "暂无输出",
  printedNothing: "没有输出",
  killAsked: "已要求命令结束；智能体会看到是你结束的。",
  exit: (code) => `退出码 ${code}`,
  ended: "已结束",
  killed: "被强制结束",
  killedBy: (signal) => `被 ${signal} 结束`,
  states: { running: "运行中", background: "后台运行", failed: "无法运行", waiting: "在等你", denied: "已拒绝", cancelled: "已停止" },
};
