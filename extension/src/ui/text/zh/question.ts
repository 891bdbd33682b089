/** Questions of the agent. */
import type { Catalogue } from "../catalogue.ts";

export const question: Catalogue["question"] = {
  landmark: "智能体提问",
  send: "发送答复",
  skip: "我不想回答",
  open: (link) => `打开 ${link}`,
  optional: (label) => `${label}（可选）`,
  yes: "是",
  no: "否",
};
