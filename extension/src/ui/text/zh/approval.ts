/** The approval card and the bar that says what waits. */
import type { Catalogue } from "../catalogue.ts";

export const approval: Catalogue["approval"] = {
  bar: (what) => `在等你：${what}`,
  more: (count) => `还有 ${count} 项`,
  show: "查看",
  title: (tool) => `批准 ${tool}？`,
  groupTitle: (count) => `批准 ${count} 项改动？`,
  inWorkspace: (workspace) => `位于 ${workspace}`,
  why: "为什么询问",
  undoable: "可以撤销",
  notUndoable: "无法撤销",
  allow: "允许",
  allowSome: (chosen, count) => (chosen === count ? `允许全部 ${count} 项` : `允许 ${count} 项中的 ${chosen} 项`),
  deny: "拒绝",
  denyAll: "全部拒绝",
  denyAllSure: "确定全部？",
  denyNote: "拒绝并留言",
  note: "告诉智能体该怎么做",
  sendNote: "拒绝并发送",
  unread: (count) => `还有 ${count} 处未读`,
  openAll: "全部展开",
  answered: "正在发送你的答复",
  command: { program: "程序", arguments: "参数", folder: "文件夹", environment: "环境变量", network: "网络", sandbox: "沙箱", timeout: "超时", on: "允许", off: "关闭", passedOn: "由主机程序传入，不显示", workspaceRoot: "工作区根目录", blockedReadable: "该命令能读取对智能体屏蔽的文件。" },
  stage: { stage: "暂存，待下次提交", unstage: "从下次提交中移出" },
  commit: { message: "说明", author: "作者", branch: "分支", amend: "替换上一次提交", hooks: "将会运行的钩子", noHooks: "不会运行钩子", unsigned: "已配置签名，但这次提交不会被签名。" },
  files: { create: "新建", overwrite: "覆盖", append: "追加", edit: "编辑", delete: "删除", rename: "新名称", copy: "副本", createFolder: "新文件夹", from: "来自", entries: (count) => `${count} 个条目`, executable: "可执行", ordinary: "普通文件", link: "符号链接", submodule: "子模块", permissions: (mode) => `权限 ${mode}`, bytes: (before, after) => `${before} → ${after}`, noLines: "没有行被改动", allGoes: "全部内容将被删除", notShown: "内容不逐行显示", count: (count) => `${count} 个文件` },
};
