// One call of a tool of the loop itself: judged as any other, run here, settled with its one result.
import { decide, type Verdict } from "../approval/decide.ts";
import { circumstancesOf, placeOf, subjectOfCall, verdictOnRead, type Known } from "./circumstances.ts";
import { ENGINE_INSTANCE, enginePlan } from "./engine-plan.ts";
import { timeoutOf } from "./caps.ts";
import { cancelledResult, deniedResult, failureResult, timeoutResult } from "./engine-results.ts";
import type { AgentEvent } from "./events.ts";
import type { CallLog, TurnLog } from "./log.ts";
import type { SessionLoop } from "./loop.ts";
import type { LoopTool, LoopToolOutcome } from "./loop-tools/loop-tool.ts";
import { isNamed } from "./named-tools.ts";
import { isStopping } from "./step.ts";

export async function runLoopTool(loop: SessionLoop, turn: TurnLog, id: string, tool: LoopTool, signal: AbortSignal): Promise<void> {
  const call = loop.call(id);
  if (call === undefined || call.state === "settled" || call.state === "asked" || call.state === "questioned" || signal.aborted) return;
  if (tool.notFor.some((kind) => kind === loop.log.origin?.kind) || !isNamed(turn.config, call.tool, tool.onDemand)) {
    return loop.append(failureResult(id, "not_found", `${call.tool} is not available here`, "Go on without it."));
  }
  if (await isHeldBack(loop, turn, call, tool)) return;
  await loop.appendIf((log) => (isOpen(loop, id) && !isStopping(log) && loop.call(id)?.sent !== true ? [{ type: "ToolStarted", call: id, instance: ENGINE_INSTANCE }] : null));
  // A Stop may have come, and have settled it, while it was judged: then nothing of it is done.
  if (!isOpen(loop, id) || isStopping(loop.log)) return;
  const startedAt = loop.world.now();
  const timeoutMs = timeoutOf(turn, call.tool);
  const outcome = await within(timeoutMs, signal, (limited) => tool.run({ loop, turn, call, signal: limited }));
  if (signal.aborted) return;
  if (outcome === null) {
    await tool.stop?.({ loop, turn, call, signal: AbortSignal.abort() });
    return loop.appendIf(() => (isOpen(loop, id) ? [timeoutResult(call, Math.round((timeoutMs ?? 0) / 1000))] : null));
  }
  await loop.appendIf(() => (isOpen(loop, id) ? eventsOf(call, outcome, loop.world.now() - startedAt) : null));
}

/** Null: the time that a person set is over. What still runs then is told so, and not waited for. */
async function within<Result>(timeoutMs: number | null, signal: AbortSignal, run: (signal: AbortSignal) => Promise<Result>): Promise<Result | null> {
  if (timeoutMs === null) return run(signal);
  const over = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => (resolve(null), over.abort()), timeoutMs);
  });
  const result = run(AbortSignal.any([signal, over.signal]));
  result.catch(() => {});
  return Promise.race([result, late]).finally(() => clearTimeout(timer));
}

/** After Stop. */
export async function stopLoopTool(loop: SessionLoop, turn: TurnLog, id: string, tool: LoopTool): Promise<void> {
  const call = loop.call(id);
  if (call === undefined || call.state === "settled") return;
  loop.abort(`tool:${id}`);
  await tool.stop?.({ loop, turn, call, signal: AbortSignal.abort() });
  await loop.appendIf(() => (isOpen(loop, id) ? [cancelledResult(call)] : null));
}

/** True: it is denied, or waits for a card. */
async function isHeldBack(loop: SessionLoop, turn: TurnLog, call: CallLog, tool: LoopTool): Promise<boolean> {
  if (call.answer?.decision === "allow") return false;
  if (call.answer !== null) {
    await loop.append(failureResult(call.id, "approval_denied", call.answer.note ?? "the user said no", null));
    return true;
  }
  const place = await placeOf(loop.world.host(), turn);
  const verdict = await withOrigin(loop, call, tool, verdictOn(loop, turn, call, tool, place));
  if (verdict.by.startsWith("rule:") && verdict.decision === "allow") loop.world.ruleUsed(verdict.by.slice("rule:".length));
  if (verdict.decision === "allow") return false;
  const refusal = verdict.decision === "deny" ? null : await tool.refusal({ loop, turn, call, signal: new AbortController().signal });
  if (refusal !== null) {
    await loop.appendIf(() => (isOpen(loop, call.id) ? eventsOf(call, refusal, 0) : null));
    return true;
  }
  const shown = verdict.decision === "deny" ? null : await tool.preview({ loop, turn, call, signal: new AbortController().signal });
  await loop.appendIf(() => {
    if (!isOpen(loop, call.id)) return null;
    const decision: AgentEvent = { type: "PolicyDecision", call: call.id, decision: verdict.decision, by: verdict.by };
    if (verdict.decision === "deny") return [decision, deniedResult(call, verdict.by)];
    const plan = enginePlan(call, loop.world.newId(), verdict.reason === null ? [`\`${call.tool}\` asks each time`] : [verdict.reason], place, shown);
    return [decision, { type: "ApprovalAsked", call: call.id, plan, requestState: "", instance: ENGINE_INSTANCE }];
  });
  return true;
}

/** What a rule or a lease lets run by itself still needs the browser's leave, which a person alone can give, by a press on its card. */
async function withOrigin(loop: SessionLoop, call: CallLog, tool: LoopTool, verdict: Verdict): Promise<Verdict> {
  const address = verdict.decision === "allow" && call.args !== null ? tool.origin(call.args) : null;
  if (address === null || (await loop.world.isOriginPermitted(address))) return verdict;
  return { decision: "ask", by: "origin", reason: `the browser must be asked for \`${new URL(address).origin}\` first` };
}

/** What asks is of the individual tier, also in plan mode, which is about the folder and not about the web. */
function verdictOn(loop: SessionLoop, turn: TurnLog, call: CallLog, tool: LoopTool, place: string | null): Verdict {
  if (!tool.asks) return verdictOnRead(loop.log, turn, call, knownNow(loop), place);
  const verdict = decide(subjectOfCall(loop.log, turn, call, null, place), "individual", circumstancesOf(loop.log, turn, call, knownNow(loop)));
  return tool.alwaysAsks && verdict.decision === "allow" ? { decision: "ask", by: "tier:individual", reason: null } : verdict;
}

/** None of the loop's own tools reads the folder. */
function knownNow({ world }: SessionLoop): Known {
  return { rules: world.rules(), now: world.now(), reads: () => false };
}

function eventsOf(call: CallLog, outcome: LoopToolOutcome, durationMs: number): readonly AgentEvent[] {
  switch (outcome.kind) {
    case "waits":
      return outcome.events;
    case "failure":
      return [failedEvent(call, outcome, durationMs)];
    case "result":
      return [
        {
          type: "ToolResult",
          call: call.id,
          isError: false,
          text: outcome.text,
          structured: { ok: true, data: outcome.data ?? null },
          origin: "engine",
          replayed: false,
          durationMs,
          ...(outcome.stranger === undefined ? {} : { stranger: outcome.stranger }),
        },
        ...(outcome.events ?? []),
      ];
  }
}

function failedEvent(call: CallLog, { code, message, hint, data, stranger }: Extract<LoopToolOutcome, { kind: "failure" }>, durationMs: number): AgentEvent {
  const result = failureResult(call.id, code, message, hint);
  const structured = data === undefined ? result.structured : { ...(result.structured as object), data };
  return { ...result, structured, durationMs, ...(stranger === undefined ? {} : { stranger }) };
}

function isOpen(loop: SessionLoop, id: string): boolean {
  const call = loop.call(id);
  return call !== undefined && call.state !== "settled";
}
