// One call to the host, from "started" to its one result: sent, asked about, answered, found again after any loss.
//
// A call's key makes it safe to send again: the host runs the same key at most once.
import { decide, type Verdict } from "../approval/decide.ts";
import { HostUnreachable } from "../host/faults.ts";
import { CallUnanswered, HostRefused, type CallAnswer } from "../host/host-client.ts";
import { CALL_SILENCE_MS } from "../host/limits.ts";
import { WireError, type CallOutcome, type WireCallState, type WireTool, type WireToolResult } from "../wire/decode.ts";
import type { Attachment } from "../wire/attachment.ts";
import { timeoutOf } from "./caps.ts";
import { circumstancesOf, hiddenFromCall, placeOf, subjectOfCall, verdictAtOnce, verdictOnRead, type Known } from "./circumstances.ts";
import { ENGINE_INSTANCE, enginePlan } from "./engine-plan.ts";
import { failureResult, cancelledResult, deniedResult, outcomeUnknownResult, timeoutResult, unknownToolResult } from "./engine-results.ts";
import type { AgentEvent } from "./events.ts";
import { isPartly, type CallLog, type TurnLog } from "./log.ts";
import { HOST_MEMORY_MS, HOST_WAIT_MS } from "./limits.ts";
import { loopToolOf } from "./loop-tools/catalog.ts";
import { isNamed } from "./named-tools.ts";
import { runLoopTool, stopLoopTool } from "./run-loop-tool.ts";
import { resultCode } from "./projection.ts";
import { LiveOutput } from "./live-output.ts";
import type { SessionLoop } from "./loop.ts";
import { activeTurn, isStopping } from "./step.ts";
import { strangerFilesIn } from "./stranger-files.ts";
import { hostFault } from "./run-model-step.ts";
import type { ToolHost } from "./world.ts";

/** Another process of the host still settles this call, after its browser or worker died. It has 3 s; ours is longer. */
const BUSY_ROUNDS = 8;
const BUSY_MS = 1_000;

/** A plan that changes each time it is answered will not settle: a person looks again after so many. */
const STALE_ROUNDS = 3;

export async function runTool(loop: SessionLoop, turn: TurnLog, id: string, signal: AbortSignal): Promise<void> {
  const own = loopToolOf(loop.call(id)?.tool ?? "");
  if (own !== undefined) return runLoopTool(loop, turn, id, own, signal);
  const host = await reach(loop);
  if (host === null) return;
  const call = loop.call(id);
  if (call === undefined || call.state === "settled" || call.state === "asked" || signal.aborted) return;
  const startedAt = loop.world.now();
  try {
    if (call.sent && (await takeKnownResult(loop, host, call))) return;
    if (!call.sent) {
      // What the model was not shown it may still call: a rule is not asked about it, and nobody is.
      const tools = (await host.listTools()).filter(({ name }) => isNamed(turn.config, name));
      const tool = tools.find(({ name }) => name === call.tool);
      if (tool === undefined) return await loop.append(unknownToolResult(call, tools.map(({ name }) => name)));
      if (await isHeldBack(loop, turn, call, host, tool)) return;
      const begin = async (): Promise<void> => {
        // A read may always be sent again: it does not matter who remembers it.
        const journal = call.readOnly ? null : (await host.getCall(call.key)).journal;
        // Checked at the moment of writing: a Stop may have come, and have settled it, while the host was waited for.
        await loop.appendIf((log) => (isOpen(loop.call(id)) && !isStopping(log) ? [{ type: "ToolStarted", call: id, instance: host.instance, ...(journal === null ? {} : { journal }) }] : null));
      };
      await (call.readOnly ? begin() : inOrder(loop, begin));
    }
    // What has not gone out by then does not go out any more.
    if (!isOpen(loop.call(id)) || isStopping(loop.log)) return;
    await settle(loop, turn, id, host, answerOf(call), startedAt, call.sent);
  } catch (error) {
    await settleFailure(loop, turn, host, call, error, startedAt);
  }
}

/** A rule of the person comes before the host hears of a call. True: it is denied, or a card asks about it. */
async function isHeldBack(loop: SessionLoop, turn: TurnLog, call: CallLog, host: ToolHost, tool: WireTool): Promise<boolean> {
  if (call.answer?.decision === "allow") return false;
  if (call.answer !== null && call.asked?.instance === ENGINE_INSTANCE) {
    await loop.append(failureResult(call.id, "approval_denied", call.answer.note ?? "the user said no", null));
    return true;
  }
  if (call.answer !== null) return false;
  const place = await placeOf(host, turn);
  const verdict = (call.readOnly ? verdictOnRead : verdictAtOnce)(loop.log, turn, call, await knownNow(loop, host), place);
  if (verdict.decision === "allow") return false;
  // What changes something is asked about by the host, with its own plan, unless it is told to run it; only a denial need not wait for that.
  if (verdict.decision === "ask" && !call.readOnly && !(await runsAtOnce(turn, call, host, tool))) return false;
  await loop.appendIf(() => {
    if (!isOpen(loop.call(call.id))) return null;
    const decision: AgentEvent = { type: "PolicyDecision", call: call.id, decision: verdict.decision, by: verdict.by };
    if (verdict.decision === "deny") return [decision, deniedResult(call, verdict.by)];
    const plan = enginePlan(call, loop.world.newId(), reasonsOf(verdict), place);
    return [decision, { type: "ApprovalAsked", call: call.id, plan, requestState: "", instance: ENGINE_INSTANCE }];
  });
  return true;
}

const begun = new WeakMap<SessionLoop, Promise<unknown>>();

/** One after the other: answers of the host come in any order, and no write passes one that the model asked for before it. */
async function inOrder(loop: SessionLoop, begin: () => Promise<void>): Promise<void> {
  const before = begun.get(loop) ?? Promise.resolve();
  const mine = before.then(begin);
  begun.set(loop, mine.catch(() => undefined));
  await mine;
}

async function knownNow({ world }: SessionLoop, host: ToolHost): Promise<Known> {
  const readers = new Set((await host.listTools()).filter(({ annotations }) => annotations.readOnlyHint).map(({ name }) => name));
  return { rules: world.rules(), now: world.now(), reads: (tool) => readers.has(tool) };
}

/** Its own tier says so, or that of the command it names. */
async function runsAtOnce(turn: TurnLog, call: CallLog, host: ToolHost, tool: WireTool): Promise<boolean> {
  if (turn.config.mode === "plan") return false;
  if (tool._meta["dev.outrigger/tier"] === "auto") return true;
  const command = call.args?.["command"];
  return typeof command === "string" && (await host.policy()).commands.some(({ id, tier }) => id === command && tier === "auto");
}

function reasonsOf(verdict: Verdict): readonly string[] {
  return verdict.reason === null ? [] : [verdict.reason];
}

/** A card must be answerable: after the host's process changed, its sealed plan is asked for again. */
export async function refreshPlan(loop: SessionLoop, turn: TurnLog, id: string): Promise<void> {
  const host = loop.world.host();
  const call = loop.call(id);
  if (host === null || call?.state !== "asked") return;
  try {
    await settle(loop, turn, id, host, null, loop.world.now());
  } catch (error) {
    await settleFailure(loop, turn, host, call, error, loop.world.now());
  }
}

/** After Stop: the host is told, and what the call says then is its result. */
export async function settleStopped(loop: SessionLoop, turn: TurnLog, id: string, waitMs: number): Promise<void> {
  const call = loop.call(id);
  if (call === undefined || call.state === "settled") return;
  const own = loopToolOf(call.tool);
  if (own !== undefined) return stopLoopTool(loop, turn, id, own);
  const host = loop.world.host() ?? (await loop.world.hostReady(waitMs).catch(() => null));
  if (host !== null) {
    await host.cancelCall(call.key).catch(() => null);
    if (loop.isRunning(`tool:${id}`) && (await loop.until(() => loop.call(id)?.state === "settled" || !loop.isRunning(`tool:${id}`), waitMs)) && loop.call(id)?.state === "settled") return;
    const state = await host.getCall(call.key).catch(() => null);
    if (state?.result) return await loop.append(await resultEvent(loop, id, state.result, null, true));
    if (state?.state === "unknown") return await loop.append(isForgotten(loop, loop.call(id) ?? call, state) ? outcomeUnknownResult(call) : cancelledResult(call));
    if (state?.state === "asked") return await loop.append(cancelledResult(call));
    if (state?.state === "running") {
      // Joined by its key: it was told to end, and answers with what it had done.
      return await settle(loop, turn, id, host, answerOf(call), loop.world.now()).catch((error: unknown) => settleFailure(loop, turn, host, call, error, loop.world.now()));
    }
  }
  const latest = loop.call(id);
  if (latest === undefined || latest.state === "settled") return;
  await loop.append(latest.readOnly || !latest.sent ? cancelledResult(latest) : outcomeUnknownResult(latest));
}

/** Sends the call, with the answer where there is one, and writes down what came of it. */
async function settle(loop: SessionLoop, turn: TurnLog, id: string, host: ToolHost, answer: CallAnswer | null, startedAt: number, wasSent = false): Promise<void> {
  let current = answer;
  const call = loop.call(id);
  const key = call?.key;
  if (call?.readOnly === true && !host.features.includes("denied") && hiddenFromCall(loop.log, turn, call, await knownNow(loop, host)).length > 0) {
    return await loop.append(failureResult(id, "approval_denied", `the user has rules about paths, and this host is too old to keep them from ${call.tool}`, "Tell the user to update the host."));
  }
  for (let round = 0; ; round += 1) {
    const outcome = await sendPatiently(loop, turn, id, host, current, wasSent ? BUSY_ROUNDS : 0);
    // Its arguments were edited meanwhile: what the host says is about another call.
    if (loop.call(id)?.key !== key) return;
    if (outcome.kind === "result") return await loop.append(await resultEvent(loop, id, outcome.result, loop.world.now() - startedAt, outcome.result.replayed));
    const answered = loop.call(id)?.answer ?? null;
    // The plan is a new one, but what it does is what was answered; a denial holds whatever it would do.
    const holds = current !== null && answered !== null && (answered.decision === "deny" || answered.digest === outcome.plan.digest);
    if (isStopping(loop.log)) return;
    if (!holds || round >= STALE_ROUNDS) return await ask(loop, turn, id, host, outcome, current !== null);
    if (current !== null) current = withState(current, outcome.requestState);
  }
}

/** `busy` is no result of a call that was sent before: it says that the result is being made. */
async function sendPatiently(loop: SessionLoop, turn: TurnLog, id: string, host: ToolHost, answer: CallAnswer | null, patience: number): Promise<CallOutcome> {
  const outcome = await send(loop, turn, id, host, answer);
  if (patience === 0 || outcome.kind !== "result" || resultCode(outcome.result.structured) !== "busy") return outcome;
  await pause(BUSY_MS);
  return sendPatiently(loop, turn, id, host, answer, patience - 1);
}

async function send(loop: SessionLoop, turn: TurnLog, id: string, host: ToolHost, answer: CallAnswer | null): Promise<CallOutcome> {
  const call = loop.call(id);
  if (call === undefined) throw new HostRefused(`bug: call ${id} is not in the log`);
  const denied = hiddenFromCall(loop.log, turn, call, await knownNow(loop, host));
  const output = new LiveOutput(loop, id);
  const unwatch = host.watchOutput(call.key, (piece) => output.add(piece));
  try {
    return await host.callTool({
      call: call.key,
      tool: call.tool,
      args: call.args ?? {},
      readOnly: call.readOnly,
      workspace: turn.config.workspace,
      session: loop.session,
      turn: turn.id,
      mode: turn.config.mode,
      denied,
      answer,
      timeoutMs: timeoutOf(turn, call.tool),
      onProgress: (progress) => loop.note({ type: "ToolProgress", call: id, ...progress }),
    });
  } finally {
    unwatch();
    await output.flush();
  }
}

async function ask(loop: SessionLoop, turn: TurnLog, id: string, host: ToolHost, outcome: Extract<CallOutcome, { kind: "asked" }>, wasAnswered: boolean): Promise<void> {
  const key = loop.call(id)?.key;
  const { requestState } = outcome;
  const known = await knownNow(loop, host);
  await loop.appendIf((log) => {
    // Stop came while the host prepared: nothing is asked any more.
    const call = loop.call(id);
    if (call === undefined || !isOpen(call) || call.key !== key) return null;
    const judged = decide(subjectOfCall(log, turn, call, outcome.plan), outcome.plan.tier, circumstancesOf(log, turn, call, known));
    // A rule or a lease speaks of all calls; the person has spoken of this one, and said less.
    const verdict: Verdict = judged.decision === "allow" && isPartly(call) ? { decision: "ask", by: "user", reason: PARTLY } : judged;
    const plan = verdict.reason === null ? outcome.plan : { ...outcome.plan, reasons: [verdict.reason, ...outcome.plan.reasons] };
    const asked: AgentEvent = { type: "ApprovalAsked", call: id, plan, requestState, instance: host.instance };
    // An answer was given while a fresh plan was fetched: the answer goes its own way.
    if (call.state === "answered" && !wasAnswered && call.asked?.instance !== ENGINE_INSTANCE) return null;
    const decision: AgentEvent = { type: "PolicyDecision", call: id, decision: verdict.decision, by: verdict.by };
    if (verdict.decision === "ask") return [decision, asked];
    if (verdict.by.startsWith("rule:")) loop.world.ruleUsed(verdict.by.slice("rule:".length));
    const note = verdict.decision === "deny" ? verdict.reason : null;
    return [decision, asked, { type: "ApprovalAnswered", call: id, plan: plan.id, digest: plan.digest, decision: verdict.decision, note, hunks: null, by: verdict.by }];
  });
}

const PARTLY = "you had let a part of it through, and it is no longer the same";

/** What the host remembers of a call that was sent before. True: it is settled. */
async function takeKnownResult(loop: SessionLoop, host: ToolHost, call: CallLog): Promise<boolean> {
  const known = await host.getCall(call.key);
  if (known.state === "finished" && known.result !== null) {
    await loop.append(await resultEvent(loop, call.id, known.result, null, true));
    return true;
  }
  if (known.state === "outcome_unknown") {
    await loop.append(known.result === null ? outcomeUnknownResult(call) : await resultEvent(loop, call.id, known.result, null, true));
    return true;
  }
  if (known.state === "unknown" && isForgotten(loop, call, known)) {
    await loop.append(outcomeUnknownResult(call));
    return true;
  }
  return false;
}

/** "Never seen" is an answer only of the journal that would have seen it, and only for as long as that one keeps its calls. */
function isForgotten(loop: SessionLoop, call: CallLog, known: WireCallState): boolean {
  if (call.readOnly || !call.sent) return false;
  return (call.journal !== null && !goesOn(call.journal, known.journal)) || loop.world.now() - lastSent(call) > HOST_MEMORY_MS;
}

/** The same journal, and no older copy of it: `file.length`, the second of which only grows. */
function goesOn(then: string, now: string | null): boolean {
  const [file, length] = then.split(".", 2);
  const [fileNow, lengthNow] = (now ?? "").split(".", 2);
  return file === fileNow && Number(lengthNow ?? 0) >= Number(length ?? 0);
}

/** It cannot have been sent before it was allowed. */
function lastSent({ startedAt, answer }: CallLog): number {
  return Math.max(startedAt ?? 0, answer?.at ?? 0);
}

async function settleFailure(loop: SessionLoop, turn: TurnLog, host: ToolHost, call: CallLog, error: unknown, startedAt: number): Promise<void> {
  if (error instanceof CallUnanswered && !error.timedOut) {
    // The port is gone. The call stays "started": it is due again, and its fate is asked for when a host is there.
    await pause(LOST_PORT_MS);
    return;
  }
  if (error instanceof CallUnanswered) {
    await host.cancelCall(call.key).catch(() => null);
    const state = await host.getCall(call.key).catch(() => null);
    if (state?.result) return await loop.append(await resultEvent(loop, call.id, state.result, loop.world.now() - startedAt, true));
    return await loop.append(timeoutResult(call, Math.round((timeoutOf(turn, call.tool) ?? CALL_SILENCE_MS) / 1000)));
  }
  if (error instanceof HostRefused || error instanceof WireError) {
    return await loop.append(failureResult(call.id, "internal", error.message, "The host did not take this call as it was. Try another way."));
  }
  throw error;
}

/** The port's end is noticed a moment after a call's failure; without a pause the same dead port would be asked again. */
const LOST_PORT_MS = 100;

async function reach(loop: SessionLoop): Promise<ToolHost | null> {
  try {
    return await loop.world.hostReady(HOST_WAIT_MS);
  } catch (error) {
    if (!(error instanceof HostUnreachable)) throw error;
    await loop.appendIf((log) => {
      const turn = activeTurn(log);
      return turn === undefined || turn.stopping ? null : [{ type: "TurnEnd", turn: turn.id, outcome: "failed", fault: { ...hostFault(error), retryable: true } }];
    });
    return null;
  }
}

function answerOf(call: CallLog): CallAnswer | null {
  if (call.answer === null || call.asked === null || call.asked.instance === ENGINE_INSTANCE) return null;
  const { decision, note, hunks, by } = call.answer;
  // The host knows persons and rules; a lease is a rule that ends.
  return { requestState: call.asked.requestState, decision, note, hunks, by: by.startsWith("lease:") ? `rule:${by.replace(":", "-")}` : by };
}

async function resultEvent(loop: SessionLoop, call: string, result: WireToolResult, durationMs: number | null, replayed: boolean): Promise<AgentEvent> {
  const pictures = await keptPictures(loop, call, result.pictures ?? []);
  const stranger = await strangerOf(loop, call);
  return {
    type: "ToolResult",
    call,
    isError: result.isError,
    text: result.text,
    structured: result.structured,
    origin: "host",
    replayed,
    durationMs: hostDuration(result.structured) ?? durationMs,
    ...(stranger === null ? {} : { stranger }),
    ...(pictures.length === 0 ? {} : { pictures }),
  };
}

/** Whose files it may have shown: a failure quotes them, too. */
async function strangerOf(loop: SessionLoop, id: string): Promise<string | null> {
  const strangers = loop.world.strangerWorkspaces();
  const call = loop.call(id);
  const turn = loop.log.turns.at(-1);
  if (strangers.length === 0 || call === undefined || turn === undefined) return null;
  return strangerFilesIn(call, await placeOf(loop.world.host(), turn), strangers);
}

/** Kept before the log names them. Where they cannot be kept the result is its text: a call that ran is never lost over a picture. */
async function keptPictures(loop: SessionLoop, call: string, pictures: readonly string[]): Promise<readonly Attachment[]> {
  if (pictures.length === 0) return [];
  const { tool, args } = loop.call(call) ?? {};
  const path = args?.["path"];
  const name = (typeof path === "string" ? path.split("/").at(-1) : undefined) || (tool ?? "picture");
  return loop.world.keepPictures(loop.session, name, pictures).catch(() => []);
}

/** The host's own measure does not count the time a card waited. */
function hostDuration(structured: unknown): number | null {
  if (typeof structured !== "object" || structured === null || !("duration_ms" in structured)) return null;
  return typeof structured.duration_ms === "number" ? structured.duration_ms : null;
}

function withState(answer: CallAnswer, requestState: string): CallAnswer {
  return { ...answer, requestState };
}

function isOpen(call: CallLog | undefined): boolean {
  return call !== undefined && call.state !== "settled";
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
