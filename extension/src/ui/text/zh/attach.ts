/** Words of what is put beside a message, in Simplified Chinese. */
import type { Catalogue } from "../catalogue.ts";

export const attach: Catalogue["attach"] = {
  add: "附加",
  file: "文件或图片…",
  page: "当前网页",
  selection: "网页上选中的内容",
  kinds: { file: "文件", selection: "选中内容", page: "网页", image: "图片" },
  chip: (kind, name, size) => `${kind}：${name}，${size}`,
  from: (host) => `来自 ${host}`,
  remove: (name) => `移除 ${name}`,
  show: (name) => `查看 ${name}`,
  label: "附件",
  tokens: (count) => `约 ${count} 个令牌`,
  preview: "这是模型将读到的内容。网页文本来自他人：它在对话中时，任何操作都不会自动运行。",
  previewKept: "这是模型读到的内容。",
  attachIt: "附加",
  gone: "其内容已不存在。",
  noPreview: "可以附加；此处不显示预览。",
  pasted: "粘贴的文本",
  drop: "拖放到这里",
  tooLarge: (name) => `${name} 太大，无法在此读取。`,
  unread: (name) => `无法读取 ${name}。可以附加文件，不能附加文件夹。`,
};
