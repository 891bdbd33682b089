/** The folder the agent works in. */
import type { Catalogue } from "../catalogue.ts";

export const workspace: Catalogue["workspace"] = {
  label: "工作区",
  readOnly: "只读",
  gone: "不存在",
  loading: "正在查找",
  noneShort: "无文件夹",
  none: "还没有文件夹",
  noneHint: "智能体只在一个文件夹里工作，不会越界。请选择你的文件夹。",
  addCommand: "outrigger workspace add DIR",
  addHint: "添加后会自动出现在这里。",
  addAnother: "添加文件夹",
  pick: "选择文件夹",
  dialogOpen: "系统的文件夹对话框已打开，可能在此窗口后面。",
  byCommand: "改用命令",
  added: (name) => `${name} 已成为工作区`,
  known: (name) => `${name} 早已是工作区`,
  pickFaults: {
    no_dialog: "此系统无法显示文件夹对话框。用这条命令可以做到：",
    dialog_failed: "文件夹对话框无法显示。用这条命令可以做到：",
    busy: "已有一个文件夹对话框打开。请先完成它，或使用命令：",
    not_allowed: "配置不允许面板添加文件夹。用这条命令可以做到：",
    config: "无法从这里更改配置。这条命令会说明原因：",
  },
};
