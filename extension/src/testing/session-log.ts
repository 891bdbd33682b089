// Short ways to look into a log and to answer its cards: for unit tests only.
import type { ApprovalAnswer } from "../app/bus.ts";
import type { CallLog, SessionLog } from "../agent/log.ts";
import type { FakeTool } from "./fake-host.ts";
import type { FakeWorld, WorldHost } from "./fake-world.ts";

export const readTool: FakeTool = { name: "fs_read", readOnly: true, tier: "auto", run: ({ path }) => ({ text: `contents of ${String(path)}` }) };
export const editTool: FakeTool = { name: "fs_edit", readOnly: false, tier: "batch", run: ({ path }) => ({ text: `edited ${String(path)}` }) };
export const execTool: FakeTool = { name: "exec_run", readOnly: false, tier: "individual", run: () => ({ text: "exit 0" }) };

export function callsOf(log: SessionLog): readonly CallLog[] {
  return log.turns.flatMap((turn) => turn.steps).flatMap((step) => step.calls);
}

export function waitingCalls(log: SessionLog): readonly CallLog[] {
  return callsOf(log).filter((call) => call.state === "asked");
}

export function answersFor(log: SessionLog, decision: "allow" | "deny", note?: string): readonly ApprovalAnswer[] {
  return waitingCalls(log).map((call) => ({
    call: call.id,
    plan: call.asked?.plan.id ?? "",
    digest: call.asked?.plan.digest ?? "",
    decision,
    ...(note === undefined ? {} : { note }),
  }));
}

/** Allows every card until the last turn is over. */
export async function allowAll<Host extends WorldHost>(world: FakeWorld<Host>, session: string): Promise<SessionLog> {
  for (;;) {
    const log = await world.until(session, (each) => (each.turns.at(-1)?.outcome ?? null) !== null || waitingCalls(each).length > 0);
    if (waitingCalls(log).length === 0) return log;
    const isTaken = await world.engine.answers.approval(session, answersFor(log, "allow")).then(() => true, () => false);
    // A card that cannot be answered yet (its host was just killed) is answered as soon as something new is known.
    if (!isTaken) await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
