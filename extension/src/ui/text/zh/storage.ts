/** What is wrong with the place where sessions are kept. */
import type { Catalogue } from "../catalogue.ts";

export const storage: Catalogue["storage"] = {
  lost: "浏览器丢失了这里保存的内容",
  lostBody: (sessions) => `它的数据库已损坏，浏览器新建了一个。${sessions} 个会话以及模型、密钥、规则和设置都没有了。磁盘上的文件没有变；改动过什么，主机程序的日志里还有。`,
  shut: "无法打开你的会话",
  shutBody: (sessions) => `${sessions} 个会话在浏览器打不开的数据库里。请腾出磁盘空间，然后重启浏览器。在此之前所做的内容只保留到浏览器关闭为止。`,
  since: "截至",
  noted: "知道了",
  waits: "数据库能打开后，你的会话会重新显示在这里。",
};
