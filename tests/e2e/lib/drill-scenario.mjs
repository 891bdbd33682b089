// The scripted session of the drills in browsers, and what is counted after it: in what the model server received, in the folder, in the log.
//
// It reads, has a sub-agent, edits and runs a command with approval, and fills its window so that room is made.
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { textOf } from "../model-server.mjs";
import { explainLogFaults } from "./log.mjs";

const COUNTING = `import { appendFileSync } from "node:fs"; appendFileSync("ran.log", "ran\\n"); console.log("counted");\n`;
const edit = (file) => ({ name: "fs_edit", args: { path: file, edits: [{ old_text: "count = 0", new_text: "count = 1" }] } });

const STEPS = [
  { text: "I read.", calls: [{ name: "fs_read", args: { path: "a.txt" } }, { name: "fs_read", args: { path: "b.txt" } }] },
  { text: "I let someone look.", calls: [{ name: "spawn_agent", args: { task: "look into a.txt" } }] },
  { text: "I edit.", calls: [edit("a.txt"), edit("b.txt")] },
  { text: "I read much.", calls: [{ name: "fs_read", args: { path: "big.txt" } }] },
  { text: "I read more.", calls: [{ name: "fs_read", args: { path: "big2.txt" } }] },
  { text: "I count.", calls: [{ name: "exec_run", args: { command: "count" } }, { name: "fs_read", args: { path: "a.txt" } }] },
  { text: "Done." },
];
const CHILD = [{ text: "I look.", calls: [{ name: "fs_read", args: { path: "a.txt" } }] }, { text: "It counts." }];

/** Two large files fill it, so that room has to be made before the end. */
const WINDOW = 26_000;
const LARGE = "All work and no play, all work and no play, all work and no play.\n".repeat(600);

/** Answers by how far the talk is: by the ids of the calls in it, or by what its summary says. */
export function reply(asked) {
  const usage = { prompt_tokens: Math.round(JSON.stringify(asked).length / 4), completion_tokens: 20, total_tokens: 0 };
  const [system] = asked.messages;
  const isChild = asked.messages.some((message) => message.role === "user" && textOf(message) === "look into a.txt");
  const seen = asked.messages.flatMap((message) => (message.tool_calls ?? []).map((call) => Number(/_(\d+)_/.exec(call.id)?.[1] ?? -1)));
  const told = asked.messages.map((message) => Number(/place=(\d+)/.exec(message.role === "user" ? textOf(message) : "")?.[1] ?? -1));
  const place = Math.max(-1, ...seen, ...told) + 1;
  if (textOf(system).startsWith("You summarise")) return { text: `place=${place - 1}`, usage };
  const step = (isChild ? CHILD : STEPS)[place] ?? { text: "Done." };
  return { ...step, usage, chunkMs: 1, piece: 64, calls: (step.calls ?? []).map((call, index) => ({ ...call, id: `${isChild ? "child" : "call"}_${place}_${index}` })) };
}

export const DRILL_COMMAND = `[[command]]\nid = "count"\nprogram = "node"\nargs = ["count.mjs"]\nsummary = "Count a run"\n`;

export const DRILL_FACTS = [{ name: "scripted", window: WINDOW, output: null, inputUsd: null, outputUsd: null, cacheReadUsd: null, cacheWriteUsd: null }];

export function prepareFolder(folder) {
  writeFileSync(path.join(folder, "count.mjs"), COUNTING);
  for (const name of ["big.txt", "big2.txt"]) writeFileSync(path.join(folder, name), LARGE);
  resetFolder(folder);
}

export function resetFolder(folder) {
  for (const file of ["a.txt", "b.txt"]) writeFileSync(path.join(folder, file), "count = 0\n");
  rmSync(path.join(folder, "ran.log"), { force: true });
}

/** Everything that is wrong after a drill: lost, doubled, orphaned, undone. `log` is of the session and of what belongs to it. */
export function explainDrill({ log, session, prompts, folder }) {
  const faults = [...explainLogFaults(log), ...explainTalk(prompts), ...explainFolder(folder, log)];
  const outcome = log.findLast((entry) => entry.session === session && entry.event.type === "TurnEnd")?.event.outcome;
  if (outcome !== "complete") faults.push(`the turn ended as ${outcome}`);
  return faults;
}

/** Whatever a provider would not accept, or would miss. */
function explainTalk(prompts) {
  const faults = [];
  // A talk that was summarised begins with other words: what it had before is told, not lost.
  const talks = new Map();
  for (const messages of prompts) {
    const first = `${textOf(messages[0]).slice(0, 20)} ${textOf(messages[1]).slice(0, 2_000)}`;
    const before = talks.get(first) ?? [];
    const calls = [];
    let open = [];
    for (const message of messages) {
      if (message.role === "tool") {
        if (open.shift() !== message.tool_call_id) faults.push(`orphan: a result of ${message.tool_call_id}`);
        continue;
      }
      if (open.length > 0) faults.push(`orphan: no result of ${open.join()}`);
      open = (message.tool_calls ?? []).map((call) => call.id);
      calls.push(...open);
    }
    if (open.length > 0) faults.push(`orphan: no result of ${open.join()}`);
    if (new Set(calls).size !== calls.length) faults.push(`doubled: ${calls.join()}`);
    const lost = before.filter((call) => !calls.includes(call));
    if (lost.length > 0) faults.push(`lost: ${lost.join()}`);
    talks.set(first, calls);
  }
  return faults;
}

function explainFolder(folder, log) {
  const faults = [];
  for (const file of ["a.txt", "b.txt"]) {
    const text = readFileSync(path.join(folder, file), "utf8");
    const result = resultOf(log, (event) => event.tool === "fs_edit" && event.argsText.includes(file));
    const isDone = text === "count = 1\n";
    if (!isDone && text !== "count = 0\n") faults.push(`${file} holds ${JSON.stringify(text)}`);
    // Cancelled with its port, an edit is told as that; done or not, its result must not say otherwise.
    if (result?.isError === false && !isDone) faults.push(`the edit of ${file} says that it was made, and was not`);
    if (result?.isError !== false && !/^(cancelled|outcome_unknown)/.test(result?.text ?? "")) faults.push(`the edit of ${file} failed: ${result?.text}`);
  }
  const runs = existsSync(path.join(folder, "ran.log")) ? readFileSync(path.join(folder, "ran.log"), "utf8").split("\n").length - 1 : 0;
  if (runs > 1) faults.push(`doubled: the command ran ${runs} times`);
  const result = resultOf(log, (event) => event.tool === "exec_run");
  if (result?.isError === false && runs !== 1) faults.push("the command says that it ran, and did not");
  if (result?.isError === true && !/^(cancelled|outcome_unknown)/.test(result.text)) faults.push(`the command failed: ${result.text}`);
  return faults;
}

/** Of the last such call. */
function resultOf(log, isMeant) {
  const call = log.findLast((entry) => entry.event.type === "ToolRequested" && isMeant(entry.event))?.event.call;
  return log.find((entry) => entry.event.type === "ToolResult" && entry.event.call === call)?.event;
}
