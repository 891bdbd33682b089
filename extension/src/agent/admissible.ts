// Which events may be written after a log. What several things under way say at the same time is decided here, once:
// the first result of a call is its result, a turn ends once, a step begins when the one before it is over.
import type { AgentEvent } from "./events.ts";
import { findCall, type SessionLog, type TurnLog } from "./log.ts";

export function isAdmissible(log: SessionLog, event: AgentEvent): boolean {
  switch (event.type) {
    case "SessionStarted":
      return log.seq === 0;
    case "SessionConfigured":
    case "TitleSet":
    case "SessionPinned":
    case "SessionTagged":
      return true;
    case "UserMessage":
      // A queue item is said once: who comes second finds it gone.
      return log.turns.every((turn) => turn.outcome !== null && turn.id !== event.message) && (event.item === undefined || isQueued(log, event.item));
    case "QueueAdded":
      return !isQueued(log, event.item);
    case "QueueEdited":
    case "QueueMoved":
    case "QueueRemoved":
      return isQueued(log, event.item);
    case "Steered":
      return isOpen(turnOf(log, event.turn)) && isQueued(log, event.item);
    case "HookNoted":
      return isOpen(turnOf(log, event.turn)) && turnOf(log, event.turn)?.notes.every(({ key }) => key !== event.key) === true;
    case "HandedOver":
      return isOpen(turnOf(log, event.turn));
    case "TurnStart":
      return turnOf(log, event.turn)?.begun === false;
    case "StepStart": {
      const turn = turnOf(log, event.turn);
      const last = turn?.steps.at(-1);
      return isOpen(turn) && turn?.stopping === false && last?.state !== "streaming" && last?.state !== "sealed" && event.step === `${event.turn}.${(turn?.steps.length ?? 0) + 1}`;
    }
    case "AssistantDelta":
    case "ReasoningDelta":
    case "ToolRequested":
    case "AssistantDone":
    case "StreamCut":
      return stepState(log, event.step) === "streaming";
    case "RetryScheduled":
      return stepState(log, event.step) === "cut" && isOpen(log.turns.at(-1));
    case "StepEnd":
      return stepState(log, event.step) === "sealed";
    case "ToolStarted":
    case "ToolProgress":
    case "ToolOutput":
    case "PolicyDecision":
    case "ApprovalAsked":
    case "ToolResult": {
      const call = findCall(log, event.call);
      return call !== undefined && call.state !== "settled";
    }
    case "Seeded":
      return log.turns.length === 0 && log.seed.length === 0;
    case "QuestionAsked": {
      const call = findCall(log, event.call);
      return call !== undefined && call.state !== "settled" && call.question === null;
    }
    case "QuestionAnswered":
    case "QuestionCancelled":
    case "QuestionFailed":
      return findCall(log, event.call)?.question?.status === "active";
    case "BranchStart":
      return isIdle(log) && log.branches.every(({ id }) => id !== event.branch) && (event.from === null || log.turns.some((turn) => turn.id === event.from));
    case "BranchSelected":
      return isIdle(log) && event.branch !== log.branch && log.branches.some(({ id }) => id === event.branch);
    case "UndoStarted":
    case "UndoDone":
      return true;
    case "UndoEnded":
      return log.undoing?.undo === event.undo;
    case "RuleAdded":
      return true;
    case "CompactRequested":
      return log.compactRequested === null && log.turns.length > 0;
    case "Compacted":
    case "CompactFailed":
    case "CompactRetryScheduled":
      return log.compactions.every(({ id }) => id !== event.compaction);
    case "CompactionUndone":
      return log.compactions.some(({ id, failed }) => id === event.compaction && !failed);
    case "TurnPinned":
      return turnOf(log, event.turn) !== undefined;
    case "RuleRevoked":
      return log.rules.some(({ id }) => id === event.rule);
    case "LeaseGranted":
      return log.leases.every(({ id }) => id !== event.lease);
    case "LeaseRevoked":
      return log.leases.some(({ id, revoked }) => id === event.lease && !revoked);
    case "ArgsEdited":
      return findCall(log, event.call)?.state === "asked";
    case "ApprovalAnswered": {
      const call = findCall(log, event.call);
      return call?.state === "asked" && call.asked?.plan.id === event.plan;
    }
    case "TurnPaused":
      return isOpen(turnOf(log, event.turn)) && turnOf(log, event.turn)?.paused === null;
    case "TurnResumed": {
      const turn = turnOf(log, event.turn);
      return turn === log.turns.at(-1) && turn !== undefined && (turn.paused !== null || turn.outcome === "failed" || turn.outcome === "cancelled");
    }
    case "StopRequested":
      return isOpen(turnOf(log, event.turn)) && turnOf(log, event.turn)?.stopping === false;
    case "TurnEnd":
    case "Recovered":
      return isOpen(turnOf(log, event.turn));
  }
}

/** What runs is not left behind: it is stopped first. */
function isIdle(log: SessionLog): boolean {
  return log.turns.every((turn) => turn.outcome !== null);
}

function isQueued(log: SessionLog, id: string): boolean {
  return log.queue.some((item) => item.id === id);
}

function turnOf(log: SessionLog, id: string): TurnLog | undefined {
  return log.turns.find((turn) => turn.id === id);
}

function isOpen(turn: TurnLog | undefined): boolean {
  return turn !== undefined && turn.outcome === null;
}

function stepState(log: SessionLog, id: string): string | undefined {
  return log.turns.at(-1)?.steps.find((step) => step.id === id)?.state;
}
