/** The place to write. */
import type { Catalogue } from "../catalogue.ts";

export const composer: Catalogue["composer"] = {
  landmark: "消息",
  placeholders: {
    idle: "描述要做的改动，或者询问代码",
    running: "智能体正在工作",
    needs_you: "智能体在等你的答复",
    complete: "接下来做什么？",
    cancelled: "接下来做什么？",
    failed: "接下来做什么？",
  },
  needsHost: "请先连接主机程序",
  needsWorkspace: "请先选择文件夹",
  send: "发送",
  stop: "停止",
  stopping: "正在停止",
  states: { idle: "", running: "工作中，按 Esc 停止", needs_you: "在等你", complete: "", cancelled: "", failed: "" },
  stopAgain: "再按一次 Escape 即可停止智能体。",
};
