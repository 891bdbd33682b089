/** The keys that work everywhere, as the help shows them. */
import type { Catalogue } from "../catalogue.ts";

export const keys: Catalogue["keys"] = {
  title: "快捷键",
  anywhere: "任何位置",
  help: "显示快捷键",
  nextRegion: "面板的下一部分",
  previousRegion: "上一部分",
  back: "返回对话",
  newSession: "新会话",
  history: "搜索历史",
  settings: "设置",
  writing: "书写时",
  ctrl: "Ctrl",
  send: "发送",
  newLine: "换行",
  steer: "智能体工作时，在下一步说出",
  stop: "停止智能体",
  card: "在批准卡片上",
  allow: "允许",
  deny: "拒绝",
  note: "拒绝并留言",
  edit: "修改参数",
  parts: "逐个部分移动",
};
