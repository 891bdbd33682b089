// What a provider sees of a session's calls, counted: lost, doubled and orphaned. For tests and drills only.
import type { ModelRequest } from "../llm/model.ts";

export interface ProviderCount {
  /** Calls of an earlier prompt that are missing in a later one. */
  readonly lost: number;
  /** Calls or results that come twice in one prompt. */
  readonly doubled: number;
  /** Calls without a result, results without a call, or not where the provider wants them. */
  readonly orphans: number;
}

/** `isSameTalk`: later prompts hold all that earlier ones held (no compaction, no other branch). */
export function countCalls(requests: readonly ModelRequest[], isSameTalk = true): ProviderCount {
  let [lost, doubled, orphans] = [0, 0, 0];
  let before = new Set<string>();
  for (const { messages } of requests) {
    const calls = new Set<string>();
    const results = new Set<string>();
    let open: string[] = [];
    for (const message of messages) {
      if (message.role === "tool") {
        if (results.has(message.call)) doubled += 1;
        results.add(message.call);
        // Each result belongs to the message right before, in its order.
        if (open.shift() !== message.call) orphans += 1;
        continue;
      }
      orphans += open.length;
      open = message.role === "assistant" ? message.calls.map(({ call }) => call) : [];
      for (const call of open) {
        if (calls.has(call)) doubled += 1;
        calls.add(call);
      }
    }
    orphans += open.length;
    if (isSameTalk) lost += [...before].filter((call) => !calls.has(call)).length;
    before = calls;
  }
  return { lost, doubled, orphans };
}
