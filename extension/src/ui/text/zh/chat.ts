/** The conversation. */
import type { Catalogue } from "../catalogue.ts";

export const chat: Catalogue["chat"] = {
  log: "对话",
  you: "你",
  whole: "显示全部",
  less: "收起",
  agent: "Outrigger",
  thinking: "正在思考",
  thought: "思考过程",
  working: "正在工作",
  jump: "跳到最新",
  steps: (count) => `${count} 步`,
  draft: "回答到这里中断了。",
  attempt: (number) => `第 ${number} 次尝试`,
  retryIn: (seconds) => `${seconds} 秒后重试`,
  addressRefused: (address: string) => `浏览器未获准访问 ${address}，因此没有重试。点击“重试”会再次询问。`,
  retryNow: "立即重试",
  retryCancel: "停止",
  goOn: "继续",
  linkTo: (address) => `打开 ${address}`,
  image: (description) => `图片未加载：${description}`,
  turnState: { running: "运行中", needs_you: "需要你", complete: "已完成", cancelled: "已停止", failed: "失败" },
  tokens: (input, output) => `输入 ${input}，输出 ${output}`,
};
