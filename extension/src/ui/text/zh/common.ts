/** Words that many parts use. */
import type { Catalogue } from "../catalogue.ts";

export const common: Catalogue["common"] = {
  loading: "正在加载",
  now: "刚刚",
  copy: "复制",
  copied: "已复制",
  retry: "重试",
  refused: "操作没有成功。",
  cancel: "取消",
  close: "关闭",
  back: "返回",
  save: "保存",
  undo: "撤销",
  brokenPart: "这一部分无法显示",
  noWorkspace: "没有工作区",
  nothing: "无",
  chooseWorkspace: "选择工作区",
  chooseModel: "选择模型",
  /** Of a character that stands as its code. */
  hidden: { turns: "会改变文字方向", control: "控制字符", unseen: "不可见", alike: "看起来像另一个字符" },
};
