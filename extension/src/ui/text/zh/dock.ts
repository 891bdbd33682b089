/** Words of what stands above and in the message box, in Simplified Chinese. */
import type { Catalogue } from "../catalogue.ts";

export const dock: Catalogue["dock"] = {
  queue: "等待发送",
  queueCount: (count) => `${count} 条消息等待发送`,
  kinds: { queue: "本轮结束后", steer: "下一步" },
  kindHints: { queue: "本轮结束后发送", steer: "在本轮运行中的下一步发送" },
  become: { queue: "改为本轮结束后发送", steer: "改为下一步发送" },
  edit: "编辑",
  editLabel: "等待发送的消息",
  up: "上移",
  down: "下移",
  remove: "移除",
  more: (message) => `关于“${message}”的更多操作`,
  sendNow: "立即发送",
  sendQueue: "排队，本轮结束后发送",
  sendSteer: "引导：在下一步发送",
  hint: "补充说明（Ctrl+Enter：立即）",
  hintMac: "补充说明（⌘ Enter：立即）",
  paused: (why) => `已暂停：${why}`,
  needsChild: (what) => `一个子智能体正在等你：${what}`,
  todo: "待办",
  todoCount: (done, count) => `已完成 ${done}/${count}`,
  todoStates: { pending: "未开始", in_progress: "进行中", done: "已完成" },
  nearing: {
    step_cap: (share) => `本轮的步数已用 ${share}`,
    cost_cap: (share) => `本轮的费用已用 ${share}`,
    time_cap: (share) => `本轮的时间已用 ${share}`,
    same_failure: () => "同一个调用反复失败",
    no_progress: () => "已有一段时间没有进展",
    context_full: (share) => `上下文窗口已用 ${share}`,
  },
};
