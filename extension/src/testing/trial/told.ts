// What a prompt must hold of a log, told a second time: straight from the stored events, without the engine's own fold and context.
import type { PromptMessage } from "../../llm/model.ts";
import type { StoredEvent } from "../../wire/events.ts";

interface ToldCall {
  readonly call: string;
  readonly tool: string;
  readonly argsText: string;
  result: string | null;
}

interface ToldStep {
  readonly id: string;
  readonly calls: ToldCall[];
  isSealed: boolean;
}

interface ToldTurn {
  readonly id: string;
  readonly text: string;
  readonly steps: ToldStep[];
  readonly said: { readonly after: number; readonly text: string }[];
}

/** How many characters of a result are looked at: what is long may be cut. */
const LOOKED_AT = 60;

/** User messages, calls and results, in order, one line each. */
export function toldBy(events: readonly StoredEvent[]): readonly string[] {
  let branch = "main";
  let turns: ToldTurn[] = [];
  const shelved = new Map<string, ToldTurn[]>();
  let cuts: { readonly id: string; readonly turn: string; readonly steps: number }[] = [];
  const steps = (id: string) => turns.flatMap((turn) => turn.steps).filter((step) => step.id === id);
  for (const { event } of events) {
    switch (event.type) {
      case "UserMessage":
        turns.push({ id: event.message, text: event.text, steps: [], said: [] });
        break;
      case "BranchStart": {
        shelved.set(branch, turns);
        const end = event.from === null ? 0 : turns.findIndex(({ id }) => id === event.from) + 1;
        turns = structuredClone(turns.slice(0, end)).filter(({ id }) => id !== event.without);
        branch = event.branch;
        break;
      }
      case "BranchSelected":
        shelved.set(branch, turns);
        turns = shelved.get(event.branch) ?? [];
        branch = event.branch;
        break;
      case "StepStart":
        turns.findLast(({ id }) => id === event.turn)?.steps.push({ id: event.step, calls: [], isSealed: false });
        break;
      case "ToolRequested":
        for (const step of steps(event.step)) if (!step.isSealed) step.calls.push({ call: event.call, tool: event.tool, argsText: event.argsText, result: null });
        break;
      case "AssistantDone":
        for (const step of steps(event.step)) step.isSealed = true;
        break;
      case "ToolResult":
        for (const call of turns.flatMap((turn) => turn.steps).flatMap((step) => step.calls)) if (call.call === event.call) call.result ??= event.text;
        break;
      case "Steered": {
        const turn = turns.findLast(({ id }) => id === event.turn);
        turn?.said.push({ after: turn.steps.length, text: event.text });
        break;
      }
      case "Compacted":
        cuts.push({ id: event.compaction, turn: event.turn, steps: event.steps });
        break;
      case "CompactionUndone":
        cuts = cuts.filter(({ id }) => id !== event.compaction);
        break;
      default:
        break;
    }
  }
  const cut = cuts.findLast(({ turn }) => turns.some(({ id }) => id === turn));
  const first = cut === undefined ? 0 : turns.findIndex(({ id }) => id === cut.turn);
  return turns.slice(first).flatMap((turn, place) => {
    const from = place === 0 ? (cut?.steps ?? 0) : 0;
    const saidAfter = (after: number) => turn.said.filter((said) => said.after === after).map(({ text }) => `user: ${text}`);
    return [
      ...(from === 0 ? [`user: ${turn.text}`] : []),
      ...turn.steps.flatMap((step, at) => (at < from ? [] : [...saidAfter(at), ...(step.isSealed ? linesOf(step) : [])])),
      ...saidAfter(turn.steps.length),
    ];
  });
}

function linesOf({ calls }: ToldStep): readonly string[] {
  return [...calls.map(({ tool, argsText }) => `call: ${tool} ${argsText}`), ...calls.map(({ result }) => `result: ${result?.slice(0, LOOKED_AT) ?? "none"}`)];
}

/** The same lines from a prompt. What the engine itself says in it is left out. */
export function toldIn(messages: readonly PromptMessage[], seeded: number): readonly string[] {
  return messages.slice(seeded).flatMap((message) => {
    if (message.role === "user") return /^\[(?:From Outrigger|The earlier part)/u.test(message.text) ? [] : [`user: ${message.text}`];
    if (message.role === "assistant") return message.calls.map(({ tool, argsText }) => `call: ${tool} ${argsText}`);
    const text = message.text.startsWith("[The user changed the arguments") ? message.text.slice(message.text.indexOf("]\n") + 2) : message.text;
    return [`result: ${text.slice(0, LOOKED_AT)}`];
  });
}

/** What a provider would refuse: results that do not follow their calls, in their order, each once; words in between; an empty answer. */
export function brokenOrder(messages: readonly PromptMessage[]): readonly string[] {
  const faults: string[] = [];
  const known = new Set<string>();
  let open: string[] = [];
  if (messages[0]?.role !== "user") faults.push(`a prompt begins with ${messages[0]?.role ?? "nothing"}`);
  const last = messages.at(-1);
  if (last?.role === "assistant") faults.push("a prompt ends with the model's own words");
  for (const [place, message] of messages.entries()) {
    if (message.role === "tool") {
      if (open.shift() !== message.call) faults.push(`the result of ${message.call} is not where it must be`);
      continue;
    }
    if (open.length > 0) faults.push(`${message.role} message ${place} stands before the results of ${open.join()}`);
    open = [];
    if (message.role === "user") continue;
    if (message.text === "" && message.calls.length === 0) faults.push(`answer ${place} is empty`);
    for (const { call } of message.calls) {
      if (call === "" || known.has(call)) faults.push(`the call ${call === "" ? "without a name" : call} is there twice`);
      known.add(call);
      open.push(call);
    }
  }
  if (open.length > 0) faults.push(`no results of ${open.join()}`);
  return faults;
}
