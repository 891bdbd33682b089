// Two tools change files, and each family of models was trained on one of them: the other one is not shown, so that none wonders.
//
// Data, not code: a family that comes is a row here. Where none fits, exact replacement is what most models know.
import type { WireTool } from "../wire/decode.ts";

const REPLACE = "fs_edit";
const PATCH = "fs_apply_patch";

/** Matched against the model's name, without its provider. OpenAI trains its models on its own patch format. */
const FAMILIES: readonly { readonly name: RegExp; readonly editor: string }[] = [
  { name: /^(?:gpt-(?:4\.1|5|oss)|o[134](?:-|$)|codex|chatgpt)/, editor: PATCH },
  { name: /^(?:claude|gemini|gemma|qwen|deepseek|kimi|glm|mistral|devstral|codestral|llama|grok|minimax|gpt-4o)/, editor: REPLACE },
];

/** The tool that is not shown to this model. What a profile names is shown all the same. */
export function hiddenEditor(modelName: string | null, tools: readonly WireTool[], named: readonly string[] | undefined): string | null {
  const has = (name: string) => tools.some((tool) => tool.name === name);
  if (!has(REPLACE) || !has(PATCH)) return null;
  const plain = (modelName ?? "").toLowerCase().split("/").at(-1) ?? "";
  const editor = FAMILIES.find(({ name }) => name.test(plain))?.editor ?? REPLACE;
  const hidden = editor === PATCH ? REPLACE : PATCH;
  return named?.includes(hidden) === true ? null : hidden;
}
