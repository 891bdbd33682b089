// What the model of a trial answers, place by place of a conversation: made from the seed and the place, and from nothing else.
import { Chance } from "./chance.ts";
import { marked } from "./tags.ts";

export interface ScriptedCall {
  readonly providerCall: string;
  readonly tool: string;
  readonly argsText: string;
}

/** One answer of the model. */
export interface Answer {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly ScriptedCall[];
  /** Milliseconds between its parts. */
  readonly pace: number;
}

/** What goes wrong before an answer comes, and how often in a row. */
export interface Trouble {
  readonly kind: "none" | "refused_429" | "refused_529" | "cut_text" | "cut_call" | "cut_end" | "unfinished" | "empty" | "refused_401" | "too_long" | "silent";
  readonly times: number;
}

/** Where in a conversation: after which message, and after how many answers to it. */
export interface Place {
  readonly tag: string;
  readonly steps: number;
}

/** Longer than anyone means: a talk that was told anew, again and again, comes to its end all the same. */
const MOST_ASKED = 24;

export function answerAt(seed: number, { tag, steps }: Place, asked: number, offered: readonly string[]): Answer {
  const chance = new Chance(seed, "answer", tag, steps);
  const planned = tag.startsWith("side") ? 0 : tag.includes("/") ? 1 + chance.below(2) : 1 + chance.below(4);
  const base = { text: chance.happens(0.8) ? `Now for ${tag}, part ${steps}.` : "", reasoning: chance.happens(0.2) ? "Let me think." : "", pace: chance.happens(0.5) ? 0 : 1 + chance.below(120) };
  if (steps >= planned || asked > MOST_ASKED || offered.length === 0) return { ...base, text: `Done with ${tag}.`, calls: [] };
  return { ...base, calls: callsAt(chance, tag, steps, seed) };
}

export function troubleAt(seed: number, { tag, steps }: Place): Trouble {
  const chance = new Chance(seed, "trouble", tag, steps);
  const kind = chance.choose({ none: 70, refused_429: 4, refused_529: 4, cut_text: 4, cut_call: 5, cut_end: 3, unfinished: 3, empty: 3, refused_401: 2, too_long: 2, silent: 0.4 });
  return { kind, times: kind.startsWith("refused_4") || kind === "refused_529" ? 1 + chance.below(3) : 1 + chance.below(2) };
}

function callsAt(chance: Chance, tag: string, steps: number, seed: number): readonly ScriptedCall[] {
  const calls: ScriptedCall[] = [];
  const names = chance.choose({ own: 6, same: 1, none: 1 });
  const add = (tool: string, args: unknown) => {
    const providerCall = names === "own" ? `p_${tag}_${steps}_${calls.length}` : names === "same" ? "call_0" : "";
    calls.push({ providerCall, tool, argsText: typeof args === "string" ? args : JSON.stringify(args) });
  };
  const path = () => (chance.happens(0.12) ? "same.txt" : chance.happens(0.3) ? `${tag.replaceAll("/", "_")}-${steps}.txt` : `${tag.replaceAll("/", "_")}-${steps}-${calls.length}.txt`);
  const isChild = tag.includes("/");
  const write = () => add(chance.choose({ fs_edit: 5, fs_write: 2, fs_delete: 1 }), { path: path(), n: `${tag}.${steps}.${calls.length}` });
  const read = () => add(chance.choose({ fs_read: 4, search_grep: 1, fs_missing: 1 }), { path: path() });
  const run = () => add("exec_run", { command: chance.choose({ lint: 1, test: 2 }), n: chance.happens(0.2) ? "same" : `${tag}.${steps}.${calls.length}` });
  const many = (act: () => void, most: number) => {
    for (let left = 1 + chance.below(most); left > 0; left -= 1) act();
  };
  switch (chance.choose({ reads: 3, writes: 4, mixed: 4, commands: 3, commit: 1, question: 2, agent: isChild ? 0.5 : 3, wrong: 2, shelf: 1, list: 1, schedule: 1, page: 0.5, finish: 0.5 })) {
    case "reads":
      many(read, 4);
      break;
    case "writes":
      many(write, 3);
      break;
    case "mixed":
      many(() => (chance.happens(0.5) ? read() : chance.happens(0.7) ? write() : run()), 5);
      break;
    case "commands":
      many(run, 2);
      if (chance.happens(0.4)) read();
      break;
    case "commit":
      write();
      add("git_commit", { message: `${tag}.${steps}` });
      break;
    case "question":
      if (chance.happens(0.3)) read();
      add("ask_question", { title: `What about ${tag}?`, fields: [{ id: "one", label: "One", kind: "choice", options: [{ value: "a" }, { value: "b" }] }] });
      if (chance.happens(0.3)) write();
      break;
    case "agent":
      if (chance.happens(0.3)) read();
      add("spawn_agent", { task: `Look into it ${marked(`${tag}/${steps}.${calls.length}`)}`, write: chance.happens(0.6) });
      if (chance.happens(0.3)) add("spawn_agent", { task: `And into that ${marked(`${tag}/${steps}.${calls.length}`)}`, write: true });
      if (chance.happens(0.3)) write();
      break;
    case "wrong":
      many(() => {
        const wrong = chance.choose({ garbled: 4, unknown: 3, impossible: 2, right: 2 });
        if (wrong === "garbled") add("fs_edit", chance.happens(0.5) ? "{path:" : "[1]");
        if (wrong === "unknown") add("no_such_tool", { path: path() });
        if (wrong === "impossible") add("ask_question", { title: "", fields: [] });
        if (wrong === "right") read();
      }, 3);
      break;
    case "shelf":
      add("list_tools", { query: "extra" });
      add("activate_tools", { names: ["extra_1"] });
      if (chance.happens(0.5)) add("extra_1", { path: path() });
      break;
    case "list":
      add("todo", { items: [{ text: `see to ${tag}`, status: "pending" }] });
      if (chance.happens(0.5)) read();
      break;
    case "schedule":
      // Its time is in the future of most, and in the past of some.
      add("schedule", { title: "Later", task: `It is time ${marked(`later/${tag}.${steps}`)}`, at: new Date(START + 60_000 * (1 + new Chance(seed, tag, "at").below(6))).toISOString() });
      break;
    case "page":
      add("web_fetch", { url: `https://docs.example.com/${encodeURIComponent(tag)}/${steps}` });
      break;
    case "finish":
      add("finish", { summary: `all of ${tag}` });
      break;
  }
  return calls;
}

/** When every trial begins. */
export const START = Date.UTC(2026, 10, 22, 12, 0);
