/** Tool cards. */
import type { Catalogue } from "../catalogue.ts";

export const tool: Catalogue["tool"] = {
  details: "显示详情",
  states: {
    writing: "正在书写",
    queued: "排队中",
    running: "运行中",
    waiting: "需要你",
    answered: "已答复",
    done: "完成",
    failed: "失败",
    denied: "已拒绝",
    cancelled: "已停止",
    dropped: "未运行",
  },
  allowed: "允许的内容",
  denied: "拒绝的内容",
  progress: "进度",
  note: "你的留言",
  resultReplayed: "结果（由主机程序保存，没有再次运行）",
  parameters: "参数",
  result: "结果",
  output: "输出",
  error: "错误",
  hint: "可行的办法",
  skipped: (bytes) => `略去 ${bytes}`,
  milliseconds: (count) => `${count} 毫秒`,
  seconds: (count) => `${count} 秒`,
  minutes: (minutes, seconds) => (seconds === 0 ? `${minutes} 分` : `${minutes} 分 ${seconds} 秒`),
  hours: (hours, minutes) => (minutes === 0 ? `${hours} 小时` : `${hours} 小时 ${minutes} 分`),
};
