// Every tool of the loop, once.
import { askQuestion } from "./ask-question.ts";
import { finish } from "./finish.ts";
import type { LoopTool } from "./loop-tool.ts";
import { editProfile, handOver, listProfiles } from "./profiles.ts";
import { spawnAgent } from "./spawn-agent.ts";
import { schedule } from "./schedule.ts";
import { todo } from "./todo.ts";
import { activateTools, describeTool, listTools } from "./tool-shelf.ts";
import { webFetch } from "./web-fetch.ts";

export const LOOP_TOOLS: readonly LoopTool[] = [askQuestion, todo, spawnAgent, webFetch, schedule, finish, listProfiles, editProfile, handOver, listTools, describeTool, activateTools];

export function loopToolOf(name: string): LoopTool | undefined {
  return LOOP_TOOLS.find((tool) => tool.definition.name === name);
}
