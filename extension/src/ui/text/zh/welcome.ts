/** The page after the install. */
import type { Catalogue } from "../catalogue.ts";

export const welcome: Catalogue["welcome"] = {
  title: "Outrigger 已安装",
  intro: "它在窗口边缘的面板中工作，就在你正在查看的内容旁边。",
  next: "接下来面板会引导你完成其余步骤：电脑上的程序、一个文件夹、一个模型。",
  later: "以后如何找到它",
  isPinned: "完成：按钮已固定在工具栏。",
  chromium: {
    open: "打开侧边栏",
    isOpen: "面板已在此窗口边缘打开。你可以关闭此标签页。",
    list: "点击地址栏右侧的拼图图标。",
    pin: "点击 Outrigger 旁的图钉，按钮便会一直显示。",
    press: "在任何标签页中，点击该按钮即可打开或关闭面板。",
  },
  firefox: {
    open: "打开侧栏",
    isOpen: "侧栏已在此窗口边缘打开。你可以关闭此标签页。",
    list: "点击地址栏右侧的拼图图标。",
    pin: "点击 Outrigger 旁的齿轮，选择“固定到工具栏”，按钮便会一直显示。",
    press: "在任何标签页中，点击该按钮即可打开或关闭侧栏。",
  },
};
