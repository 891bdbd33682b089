// When the host has more tools than a prompt should show: find them, read about one, take some down for this conversation. Pure but for the host's own list.
import { z } from "zod";
import { estimateTokens } from "../../lib/estimate-tokens.ts";
import type { WireTool } from "../../wire/decode.ts";
import { HOST_WAIT_MS } from "../limits.ts";
import type { SessionLog } from "../log.ts";
import { done, failure, loopTool, type LoopToolRun } from "./loop-tool.ts";

/** What descriptions of tools may cost in each prompt. The host's own core set is less than half of it. */
export const SHELF_BUDGET = 8_000;

export const listTools = loopTool({
  name: "list_tools",
  description: "Lists tools that exist and are not shown to you, one line each.",
  params: z.object({ query: z.string().default("").describe("Words that name or description must hold") }),
  readOnly: true,
  run: async ({ query }, run) => {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    const found = (await hostTools(run)).filter((tool) => words.every((word) => `${tool.name} ${tool.description}`.toLowerCase().includes(word)));
    return done(found.length === 0 ? "No tool fits." : found.map((tool) => `${tool.name}: ${tool.description.split(/(?<=\.)\s/, 1)[0] ?? ""}`).join("\n"));
  },
});

export const describeTool = loopTool({
  name: "describe_tool",
  description: "Tells everything about one tool: what it does and its parameters.",
  params: z.object({ name: z.string() }),
  readOnly: true,
  run: async ({ name }, run) => {
    const tool = (await hostTools(run)).find((each) => each.name === name);
    if (tool === undefined) return failure("not_found", `there is no tool \`${name}\``, "Look with list_tools.");
    return done(`${tool.name}: ${tool.description}\n${JSON.stringify(tool.inputSchema)}`);
  },
});

export const activateTools = loopTool({
  name: "activate_tools",
  description: "Shows you more tools, from the next step on and for the rest of this conversation.",
  params: z.object({ names: z.array(z.string()).min(1).max(20) }),
  readOnly: true,
  run: async ({ names }, run) => {
    const known = new Set((await hostTools(run)).map((tool) => tool.name));
    const missing = names.filter((name) => !known.has(name));
    if (missing.length > 0) return failure("not_found", `there is no tool ${missing.map((name) => `\`${name}\``).join(", ")}`, "Look with list_tools.");
    return done(`From the next step on you can call ${names.join(", ")}.`);
  },
});

export const SHELF_TOOLS: ReadonlySet<string> = new Set(["list_tools", "describe_tool", "activate_tools"]);

/** What of the host's tools a prompt shows: all where they fit; else what only reads, and what was taken down, as long as there is room. */
export function shownTools(log: SessionLog, tools: readonly WireTool[]): readonly WireTool[] {
  if (costOf(tools) <= SHELF_BUDGET) return tools;
  const wanted = activated(log);
  const ordered = [...tools.filter((tool) => wanted.has(tool.name)), ...tools.filter((tool) => !wanted.has(tool.name) && tool.annotations.readOnlyHint)];
  const shown = new Set<string>();
  let cost = 0;
  for (const tool of ordered) {
    cost += costOf([tool]);
    // What was asked for is shown, whatever it costs.
    if (cost <= SHELF_BUDGET || wanted.has(tool.name)) shown.add(tool.name);
  }
  return tools.filter((tool) => shown.has(tool.name));
}

function activated(log: SessionLog): ReadonlySet<string> {
  const calls = log.turns.flatMap((turn) => turn.steps).flatMap((step) => step.calls).filter((call) => call.tool === "activate_tools" && call.result?.isError === false);
  return new Set(calls.flatMap((call) => (Array.isArray(call.args?.["names"]) ? call.args["names"].filter((name) => typeof name === "string") : [])));
}

function costOf(tools: readonly WireTool[]): number {
  return tools.reduce((sum, tool) => sum + estimateTokens(`${tool.name}${tool.description}${JSON.stringify(tool.inputSchema)}`), 0);
}

async function hostTools({ loop }: LoopToolRun): Promise<readonly WireTool[]> {
  return (await loop.world.hostReady(HOST_WAIT_MS)).listTools();
}
