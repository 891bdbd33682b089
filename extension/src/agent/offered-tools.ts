// Which tools a model is shown in a step: what profile, mode and rules leave of the host's and of the loop's own. Pure.
import type { ToolDefinition } from "../llm/model.ts";
import type { Rule } from "../wire/rule.ts";
import type { WireTool } from "../wire/decode.ts";
import { hiddenEditor } from "./editor-family.ts";
import { isOffered } from "./circumstances.ts";
import type { SessionLog, TurnLog } from "./log.ts";
import { LOOP_TOOLS } from "./loop-tools/catalog.ts";
import { isNamed } from "./named-tools.ts";
import { SHELF_TOOLS, shownTools } from "./loop-tools/tool-shelf.ts";

export function offeredTools(log: SessionLog, turn: TurnLog, hostTools: readonly WireTool[], kept: readonly Rule[], modelName: string | null): readonly ToolDefinition[] {
  const { mode, tools: named } = turn.config;
  const hidden = hiddenEditor(modelName, hostTools, named);
  const possible = hostTools.filter((tool) => tool.name !== hidden && (mode !== "plan" || tool.annotations.readOnlyHint) && isNamed(turn.config, tool.name) && isOffered(log, turn, tool.name, kept));
  const shown = shownTools(log, possible);
  const isShelved = shown.length < possible.length;
  const own = LOOP_TOOLS.filter(
    ({ definition: { name }, notFor, onDemand, readOnly, asks }) =>
      isNamed(turn.config, name, onDemand) &&
      !notFor.some((kind) => kind === log.origin?.kind) &&
      (isShelved || !SHELF_TOOLS.has(name)) &&
      (mode !== "plan" || readOnly || asks || name === "spawn_agent") &&
      isOffered(log, turn, name, kept),
  );
  return [...shown.map(toDefinition), ...own.map(({ definition }) => definition)];
}

export function toDefinition(tool: WireTool): ToolDefinition {
  return { name: tool.name, description: tool.description, parameters: tool.inputSchema };
}
