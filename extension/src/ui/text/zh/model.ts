/** Models and their servers. */
import type { Catalogue } from "../catalogue.ts";

export const model: Catalogue["model"] = {
  label: "模型",
  demo: "演示",
  notPermitted: "尚无访问权限",
  demoHint: "内置，无需网络。用来展示 Outrigger 如何工作。",
  addServer: "添加模型服务器",
  intro: "任何支持 OpenAI 协议的服务器：Ollama、LM Studio、llama.cpp、vLLM、OpenRouter。",
  baseUrl: "基础地址",
  baseUrlHint: "Ollama 为：http://localhost:11434/v1",
  baseUrlWrong: "这不是有效地址。例如：http://localhost:11434/v1",
  name: "模型名称",
  nameHint: "服务器使用的名称，例如 qwen3-coder:30b",
  key: "API 密钥（可选）",
  keyHint: "只保存在这个浏览器里，从不同步。",
  permission: (origin) => `浏览器会询问是否允许 Outrigger 访问 ${origin}。`,
  add: "添加服务器",
  adding: "正在添加",
  refused: (origin) => `浏览器没有允许访问 ${origin}，因此没有添加该服务器。`,
  added: (name) => `已添加 ${name}`,
};
