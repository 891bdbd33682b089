/** The folder the agent works in. */
import type { Catalogue } from "../catalogue.ts";

export const workspace: Catalogue["workspace"] = {
  label: "工作区",
  readOnly: "只读",
  gone: "不存在",
  loading: "正在询问主机程序",
  none: "还没有工作区",
  noneHint: "智能体只在一个文件夹里工作，不会越界。添加你的文件夹：",
  addCommand: "outrigger workspace add DIR",
  addHint: "添加后会自动出现在这里。",
  addAnother: "再添加一个",
};
