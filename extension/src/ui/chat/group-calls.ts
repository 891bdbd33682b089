/** Puts the calls of a step together as they are shown: runs of lines, and cards, each where its first call stands. */
import type { ToolCallView } from "../../agent/session-view.ts";
import type { WaitingCall } from "../approvals/approval-card.tsx";

export type CallGroup = { kind: "lines"; calls: ToolCallView[] } | { kind: "asking"; calls: WaitingCall[] };

export function groupCalls(calls: readonly ToolCallView[]): CallGroup[] {
  const groups: CallGroup[] = [];
  const cards = new Map<string, WaitingCall[]>();
  for (const call of calls) {
    if (isWaiting(call)) {
      const { group } = call.approval;
      const shared = group === null ? undefined : cards.get(group);
      if (shared) {
        shared.push(call);
        continue;
      }
      const card = [call];
      if (group !== null) cards.set(group, card);
      groups.push({ kind: "asking", calls: card });
      continue;
    }
    const last = groups.at(-1);
    if (last?.kind === "lines") last.calls.push(call);
    else groups.push({ kind: "lines", calls: [call] });
  }
  return groups;
}

function isWaiting(call: ToolCallView): call is WaitingCall {
  return call.state === "waiting" && call.approval !== null && call.approval.answer === null;
}
