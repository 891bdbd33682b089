/** What a session changed. */
import type { Catalogue } from "../catalogue.ts";

export const changes: Catalogue["changes"] = {
  none: "没有任何改动",
  noneHint: "智能体在此会话中改动的文件会显示在这里，并可以撤销。",
  allTurns: "全部轮次",
  layout: "改动的显示方式",
  unified: "上下排列",
  split: "左右对照",
  elsewhere: "在另一分支，或由子智能体完成",
  files: (count) => `${count} 个文件`,
  commands: (count) => `运行了 ${count} 条命令。命令造成的改动在此未知，也不会被撤销。`,
  undo: "撤销",
  undoFrom: "从此处起撤销",
  redo: "恢复",
  undoFile: (path) => `还原 ${path}`,
  redoFile: (path) => `重新改动 ${path}`,
  isUndone: "已撤销",
  isPartly: "部分撤销",
  did: {
    undo: (count) => `已还原 ${count} 个文件`,
    redo: (count) => `已重新改动 ${count} 个文件`,
    replaced: (count) => `${count} 个文件已回到撤销之前`,
  },
  nothingDone: "无需任何操作",
  conflictTitle: (count) => `${count} 个文件之后又被改动`,
  conflictHint: "尚未执行任何操作。本轮之后改动过的文件，只有你确认才会被替换。",
  folder: "文件夹",
  binary: "不是文本",
  noLines: "没有行被改动",
  ops: { create: "新建", overwrite: "覆盖", append: "追加", delete: "删除", rename: "重命名", move: "移动", copy: "复制", mkdir: "新文件夹" },
};
