// What a fast answer costs: 200 tokens a second for ten seconds, in the process that holds the engine and the panel.
import { readFileSync } from "node:fs";
import { descendants } from "../e2e/lib/host.mjs";
import { sleep } from "../e2e/lib/wait.mjs";

const SECONDS = 10;
const TICKS_A_SECOND = 100;

export async function streamCost({ stage, driver, answer, figure }) {
  // Chunks of two tokens every 10 ms.
  answer(() => ({ text: "tokens ".repeat(100 * SECONDS * 2), chunkMs: 10, piece: 7 }));
  const pids = descendants(stage.chromium.pid, "--extension-process").map(({ pid }) => pid);
  const idleBefore = ticks(pids);
  await sleep(3_000);
  const idle = (ticks(pids) - idleBefore) / TICKS_A_SECOND / 3;
  const { session } = await driver.send("startSession", { text: "say much" });
  // Its beginning is not the stream.
  await sleep(1_000);
  const before = ticks(pids);
  const begin = performance.now();
  await sleep((SECONDS - 3) * 1_000);
  const busy = (ticks(pids) - before) / TICKS_A_SECOND / ((performance.now() - begin) / 1_000);
  const events = await driver.log(session);
  const said = events.filter(({ event }) => event.type === "AssistantDelta").reduce((sum, { event }) => sum + event.text.length, 0);
  await driver.send("stop", { session });
  figure("stream: characters a second that arrived", said / (SECONDS - 2), "");
  figure("stream: the process at rest, of one core", idle * 100, "%");
  figure("stream: engine and open panel, of one core", busy * 100, "%", 15);
  await driver.send("deleteSession", { session, forGood: true });
}

/** Of 10 ms each. */
export function ticks(pids) {
  return pids.reduce((sum, pid) => {
    try {
      const parts = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
      return sum + Number(parts[11]) + Number(parts[12]);
    } catch {
      return sum;
    }
  }, 0);
}
