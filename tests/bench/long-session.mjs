// A session of 10 000 events: how long a panel takes to have it, and what one more event costs.
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";

const EVENTS = 10_000;
const APPENDS = 200;

/** Turns of reads, as real ones look: 8 steps, each with two calls and their results of 2 kB. */
export function makeLog(events = EVENTS) {
  const log = [{ type: "SessionStarted", config: { workspace: null, model: "demo", mode: "ask" } }];
  const text = "All work and no play makes a long file, line after line after line.\n".repeat(30);
  for (let turn = 0; log.length < events; turn += 1) {
    const id = `t${turn}`;
    log.push({ type: "UserMessage", message: id, text: `task ${turn}` }, { type: "TurnStart", turn: id, message: id, config: log[0].config, modelLabel: "Scripted" });
    for (let step = 1; step <= 8; step += 1) {
      const name = `${id}.${step}`;
      const calls = step === 8 ? [] : [0, 1].map((place) => `${name}-${place}`);
      log.push({ type: "StepStart", turn: id, step: name, index: step - 1, attempt: 1 }, { type: "AssistantDelta", step: name, text: "I look." });
      for (const call of calls) log.push({ type: "ToolRequested", step: name, call, providerCall: call, tool: "fs_read", argsText: JSON.stringify({ path: `src/file-${step}.ts` }), readOnly: true, path: null });
      log.push({ type: "AssistantDone", step: name, text: "I look.", reasoning: "", finish: calls.length > 0 ? "tool_calls" : "stop", usage: { inputTokens: 900, outputTokens: 20, cachedInputTokens: 0, reasoningTokens: 0 } });
      for (const call of calls) log.push({ type: "ToolStarted", call, instance: "i" });
      for (const call of calls) log.push({ type: "ToolResult", call, isError: false, text, structured: { ok: true }, origin: "host", replayed: false, durationMs: 3 });
      log.push({ type: "StepEnd", step: name });
    }
    log.push({ type: "TurnEnd", turn: id, outcome: "complete", fault: null });
  }
  return log;
}

export async function longSession({ driver, figure, median, extension, requireFromExtension }) {
  const json = JSON.stringify({ format: "outrigger-session", version: 1, events: makeLog().map((event, place) => ({ at: 1_700_000_000_000 + place, event })) });
  const { session } = await driver.send("importSession", { json });
  const told = (await driver.log(session)).length;

  const fold = await folded({ extension, requireFromExtension, events: await driver.log(session) });
  const arrivals = [];
  for (let round = 0; round < 7; round += 1) arrivals.push(await arrival(driver, session));
  figure(`${told} events: from the click to the last of them in a panel`, median(arrivals), "ms");
  figure(`${told} events: folding and drawing up the view`, fold, "ms");
  figure(`${told} events: open, both together`, median(arrivals) + fold, "ms", 400);

  const times = await driver.page.evaluate(
    async ({ id, rounds }) => {
      const all = [];
      for (let round = 0; round < rounds; round += 1) {
        const begin = performance.now();
        await globalThis.outriggerSend("renameSession", { session: id, title: `long ${round}` });
        all.push(performance.now() - begin);
      }
      return all;
    },
    { id: session, rounds: APPENDS },
  );
  figure(`${told} events: one more, on disk, as a page sees it`, median(times), "ms", 5);
  await driver.send("deleteSession", { session, forGood: true });
}

function arrival(driver, session) {
  return driver.page.evaluate(
    (id) =>
      new Promise((resolve) => {
        const port = chrome.runtime.connect({ name: "outrigger.panel.v1" });
        const begin = performance.now();
        port.onMessage.addListener((message) => {
          if (message.kind !== "events" || !message.caughtUp) return;
          resolve(performance.now() - begin);
          port.disconnect();
        });
        port.postMessage({ kind: "subscribe", session: id, after: 0 });
      }),
    session,
  );
}

/** The panel's own code, bundled for Node: the pure part of opening a session. */
async function folded({ extension, requireFromExtension, events }) {
  const { rolldown } = requireFromExtension("rolldown");
  const entry = path.join(tmpdir(), `outrigger-fold-${process.pid}.mjs`);
  const bundle = await rolldown({ input: path.join(extension, "src/agent/projection.ts"), cwd: extension, platform: "node" });
  await bundle.write({ file: entry, format: "esm" });
  const folding = await rolldown({ input: path.join(extension, "src/agent/fold.ts"), cwd: extension, platform: "node" });
  await folding.write({ file: entry.replace("fold-", "log-"), format: "esm" });
  const { viewSession } = await import(pathToFileURL(entry).href);
  const { foldEvents } = await import(pathToFileURL(entry.replace("fold-", "log-")).href);
  const times = Array.from({ length: 7 }, () => {
    const begin = performance.now();
    viewSession(foldEvents("s", events));
    return performance.now() - begin;
  });
  return times.toSorted((left, right) => left - right)[3];
}
