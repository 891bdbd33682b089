// The pieces scenes are made of: calls, steps, turns, sessions, with everything that does not matter filled in.
import type { SessionView, StepView, ToolCallView, TurnView } from "../../agent/session-view.ts";
import type { Plan } from "../../wire/plan.ts";

export const NOW = Date.now();
const usage = { inputTokens: 8_420, outputTokens: 612, cachedInputTokens: null, reasoningTokens: null };

/** What a model wrote as the arguments of a call. */
export function written(args: Record<string, unknown>): Pick<ToolCallView, "args" | "argsText"> {
  return { args, argsText: JSON.stringify(args) };
}

export function call(tool: string, args: Record<string, unknown>, more: Partial<ToolCallView> = {}): ToolCallView {
  return {
    id: `${tool}-${JSON.stringify(args)}`, step: "s", tool, state: "done", readOnly: true, ...written(args), written: null, question: null,
    startedAt: NOW - 5_000, endedAt: NOW - 4_960, progress: null, output: "", outputSkippedBytes: 0,
    result: { isError: false, text: "ok", structured: {}, code: null, durationMs: 40, replayed: false }, approval: null, ...more,
  };
}

export function asking(plan: Plan, group: string | null = null): ToolCallView {
  return call(plan.tool, { path: plan.preview.kind === "files" ? (plan.preview.files[0]?.path ?? "") : plan.summary }, {
    id: plan.id, state: "waiting", readOnly: false, endedAt: null, result: null,
    approval: { plan, tier: plan.tier, group, askedAt: NOW, answer: null },
  });
}

export function step(more: Partial<StepView>): StepView {
  return { id: `${more.text ?? ""}${more.calls?.[0]?.id ?? ""}`, index: 0, attempt: 1, state: "done", text: "", reasoning: "", calls: [], usage: null, costUsd: null, startedAt: NOW - 9_000, retry: null, ...more };
}

export function turn(text: string, steps: StepView[], more: Partial<TurnView> = {}): TurnView {
  return {
    id: text, message: { id: text, text, at: NOW - 60_000 }, status: "complete", mode: "ask", model: "demo", modelLabel: "Demo model", steps,
    startedAt: NOW - 12_400, endedAt: NOW, stopping: false, paused: null, fault: null, canRetry: false, usage, costUsd: null, pinned: false, steers: [], nearing: null, notices: [], ...more,
  };
}

export function session(title: string, turns: TurnView[]): SessionView {
  const last = turns.at(-1);
  const waiting = turns.flatMap((one) => one.steps).flatMap((one) => one.calls).filter((one) => one.state === "waiting");
  return { id: "01A", seq: turns.length, title, createdAt: NOW - 90_000, updatedAt: NOW, status: last?.status ?? "idle", config: { workspace: "app", model: "demo", mode: "ask" }, turns, waiting, usage, queue: [], leases: [], rules: [], strangers: [], context: { tokens: 0, classes: [], window: null, share: null, level: "ok" }, compactions: [], compacting: false, origin: null, seed: [], todos: [], branch: "main", branches: [], undone: [] };
}
