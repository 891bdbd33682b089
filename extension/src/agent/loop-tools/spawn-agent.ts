// Gives a part of the task to an agent of its own: a session with its own log, budget and context, whose answer is the result.
//
// Its rights are never wider than those of who asks: it reads, unless writing was asked for, and then it asks as here.
import { z } from "zod";
import { spentOf } from "../caps.ts";
import { isScheduled, modeOf, taintOf } from "../circumstances.ts";
import { failure, loopTool } from "./loop-tool.ts";

/** A part of a task; what needs more is a task of its own. */
const CHILD_STEPS = 25;
const CHILD_MINUTES = 30;

export const spawnAgent = loopTool({
  name: "spawn_agent",
  description: "Gives a part of the task to another agent with an empty context and waits for its answer. For searching and reading that would fill your own context. It sees nothing of this conversation: say everything it needs.",
  params: z.object({
    task: z.string().min(1).describe("What to find out or do, with all that must be known, and what to answer with"),
    write: z.boolean().default(false).describe("It may also change files and run commands, with the user's approval"),
  }),
  notFor: ["subagent", "side"],
  run: async ({ task, write }, { loop, turn, call, signal }) => {
    const { config } = turn;
    const cap = config.limits?.costUsd ?? null;
    const left = cap === null ? null : Math.max(0, cap - spentOf(turn));
    const model = (await loop.world.helperModel("agent")) ?? config.model;
    await loop.world.agents.ensure({
      session: call.id,
      origin: { kind: "subagent", session: loop.session, by: call.id, ...(isScheduled(loop.log) ? { scheduled: true as const } : {}) },
      task,
      strangers: taintOf(loop.log),
      // Those of another turn say nothing of this one.
      rules: loop.log.rules.filter((rule) => rule.scope !== "turn" || rule.turn === turn.id),
      config: {
        ...config,
        model,
        mode: write ? modeOf(loop.log, turn) : "plan",
        limits: { ...config.limits, steps: CHILD_STEPS, minutes: CHILD_MINUTES, costUsd: left === null ? null : left / 2 },
      },
    });
    const ended = await loop.world.agents.ended(call.id, signal);
    // What it read of strangers stands in its words, too.
    const marked = ended.strangers.length === 0 ? {} : { stranger: ended.strangers.join(", ") };
    // Counted against the cap of who sent it.
    const data = { cost_usd: ended.costUsd };
    if (ended.outcome === "complete") return { kind: "result", text: ended.text, data, ...marked };
    const failed = failure(ended.outcome === "cancelled" ? "cancelled" : "agent_failed", `the agent ended as ${ended.outcome}: ${ended.text}`, "Do it yourself, or give it a smaller task.");
    return { ...failed, data, ...marked };
  },
  stop: async ({ loop, call }) => loop.world.agents.stop(call.id),
});
