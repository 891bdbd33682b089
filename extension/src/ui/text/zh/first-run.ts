/** The first screen of a new session. */
import type { Catalogue } from "../catalogue.ts";

export const firstRun: Catalogue["firstRun"] = {
  greeting: "今天做点什么？",
  intro: "智能体可以自由读取和搜索，改动前一定先询问，做过的一切都留在这里供你查看。",
  suggestions: [
    { title: "修好失败的测试并提交", task: "修好失败的测试并提交" },
    { title: "讲解这个项目", task: "讲解这个项目是怎样组织的" },
    { title: "审查我的改动", task: "审查我尚未提交的改动" },
  ],
  suggested: "建议的任务",
  way: "开始前需要的东西",
  steps: { host: "主机程序", folder: "文件夹", model: "模型" },
  done: "完成",
  demo: "目前由演示模型回答：内置、完全不联网，只用来展示工作方式。真正工作时，请使用本机上的模型服务器，或某个提供商的密钥。",
  addModel: "手动添加模型",
};
