/** The link to the host: the chip, the page, what is wrong and what to do. */
import type { Catalogue } from "../catalogue.ts";

export const connection: Catalogue["connection"] = {
  label: (state) => `连接：${state}`,
  states: { idle: "空闲", connecting: "正在连接", connected: "已连接", failed: "未连接" },
  details: "连接",
  good: "主机程序已应答",
  title: "Outrigger 未连接",
  reason: (number) => `原因 ${number}`,
  detail: "浏览器的原话",
  noticed: "正在查找。无需重启任何东西，找到后面板会自动继续。",
  stopped: "面板已停止尝试，以免反复启动主机程序。",
  looking: "正在查找主机程序",
  idleHint: "现在无事可做。你一提出要求，面板就会连接。",
  host: "主机程序",
  hostVersion: (version, build) => `outrigger ${version}（${build}）`,
  protocol: "协议",
  process: "进程",
  configuration: "配置",
  bar: "未连接到主机程序。",
  show: "怎么办",
};
