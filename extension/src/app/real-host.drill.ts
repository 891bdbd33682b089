// Rows 51, 52, 53 (user wishes 4, 6): the same drills over the real host's binary, its journal and a real folder.
//
// Not part of `npm test`: it needs the built host (`OUTRIGGER_BIN`, else the development build). `npm run test:host` runs it.
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { afterEach, expect, test } from "vitest";
import { drill, drillHost, faultsOf, rehearse, type DrillResult, type Scenario } from "../testing/drill.ts";
import { FakeWorld } from "../testing/fake-world.ts";
import { RealHost } from "../testing/real-host.ts";
import { callTools, say, ScriptedModel } from "../testing/scripted-model.ts";
import { allowAll, callsOf } from "../testing/session-log.ts";

const BINARY = process.env["OUTRIGGER_BIN"] ?? resolve(import.meta.dirname, "../../../target/debug/outrigger");
if (!existsSync(BINARY)) throw new Error(`the host is not built: ${BINARY} is missing; run \`cargo build\``);

const hosts: RealHost[] = [];
afterEach(async () => {
  await Promise.all(hosts.splice(0).map((host) => host.remove()));
});

const edit = (path: string) => ["fs_edit", { path, edits: [{ old_text: "count = 0", new_text: "count = 1" }] }] as const;

const work: Scenario<RealHost> = {
  task: "work",
  isSameTalk: true,
  host: () => {
    const host = new RealHost(BINARY);
    hosts.push(host);
    return host;
  },
  model: () =>
    ScriptedModel.steps(
      () => callTools(["fs_read", { path: "a.txt" }], ["fs_read", { path: "b.txt" }]),
      () => callTools(edit("a.txt"), edit("b.txt")),
      () => callTools(["exec_run", { command: "count" }], ["fs_read", { path: "a.txt" }]),
      () => say("done"),
    ),
  finish: allowAll,
};

/** Beside the count: both edits stand and the command ran, or their results say that they did not or that nobody knows. */
function allFaultsOf(result: DrillResult<RealHost>): readonly string[] {
  const effects = result.host.effects;
  const faults = [...faultsOf(result)];
  const calls = result.log.turns.flatMap((turn) => turn.steps).flatMap((step) => step.calls).filter((call) => call.result !== null);
  for (const name of ["a", "b"]) {
    const made = effects.get(`edit ${name}`);
    const told = calls.filter((call) => call.tool === "fs_edit" && call.args?.["path"] === `${name}.txt`).map((call) => call.result?.text ?? "");
    // The host ends what runs when its port closes; an edit that it ended before anything was written is told as cancelled.
    const isRight = made === 1 ? !told.some((text) => text.startsWith("cancelled")) : made === 0 && told.some((text) => /^(cancelled|outcome_unknown)/.test(text));
    if (!isRight) faults.push(`edit ${name} was made ${made} times, and its results say ${JSON.stringify(told)}`);
  }
  const command = calls.find((call) => call.tool === "exec_run");
  if (command?.result?.isError === false && effects.get("count") !== 1) faults.push("the command says that it ran, and did not");
  if (command?.result?.isError === true && !/^(cancelled|outcome_unknown)/.test(command.result.text)) faults.push(`the command failed: ${command.result.text}`);
  return faults;
}

const { events } = await rehearse(work);

/** A real process each: three at a time are enough for the smallest machine. */
async function forEach(count: number, run: (at: number) => Promise<void>): Promise<void> {
  for (let first = 1; first <= count; first += 3) {
    await Promise.all(Array.from({ length: Math.min(3, count - first + 1) }, (_, place) => run(first + place)));
  }
}

test("a session where nothing goes wrong", async () => {
  expect(allFaultsOf(await rehearse(work))).toEqual([]);
});

test.each(["after", "before"] as const)("the worker dies %s each event is stored", async (death) => {
  await forEach(events.length, async (at) => {
    const done = await drill(work, at, death);
    expect(allFaultsOf(done), `event ${at}: ${events[at - 1]?.event.type}`).toEqual([]);
  });
});

test("the host is killed at each event", async () => {
  await forEach(events.length - 1, async (at) => {
    const done = await drillHost(work, at);
    expect(allFaultsOf(done), `event ${at}: ${events[at - 1]?.event.type}`).toEqual([]);
  });
});

test("rows 36, 75: the files of a turn are told with their differences, are put back by the host and put there again, with the conversation", async () => {
  const host = work.host();
  const world = new FakeWorld<RealHost>(work.model(), host);
  const session = await world.engine.startSession("work");
  await allowAll(world, session);
  const turn = (await world.log(session)).turns[0]?.id ?? "";
  const options = { dryRun: false, skipConflicts: false };
  const [changed] = await world.engine.changes.list(session, null);
  // Two writes that do not meet go as soon as each is allowed.
  const files = changed?.files.toSorted((left, right) => left.path.localeCompare(right.path)) ?? [];
  expect({ ...changed, files }).toMatchObject({ turn, session, state: "done", commands: 1, files: [{ path: "a.txt", op: "edit", added: 1, removed: 1 }, { path: "b.txt" }] });
  expect(files[0]?.hunks[0]?.lines).toContain("+count = 1");
  expect(changed?.finishedAt).toBeGreaterThan(0);
  expect(await world.engine.branches.undo(session, turn, "both", { ...options, dryRun: true })).toMatchObject({ state: "dry_run" });
  expect(host.effects.get("edit a")).toBe(1);
  expect(await world.engine.branches.undo(session, turn, "both", options)).toMatchObject({ state: "done" });
  expect([host.effects.get("edit a"), host.effects.get("edit b")]).toEqual([0, 0]);
  expect((await world.log(session)).turns).toEqual([]);
  expect(await world.engine.branches.redo(session, turn, "both", options)).toMatchObject({ state: "done" });
  expect([host.effects.get("edit a"), host.effects.get("edit b")]).toEqual([1, 1]);
  expect((await world.log(session)).turns).toHaveLength(1);
});

test.each(["*", "fs_read"])("row 19: a deny on a path for %s keeps its text from every search of the real host", async (tool) => {
  const model = ScriptedModel.steps(
    () => callTools(["search_grep", { pattern: "count = " }], ["search_glob", { pattern: "*.txt" }], ["fs_list", {}], ["fs_read", { path: "app:b.txt" }]),
    () => say("done"),
  );
  const world = new FakeWorld<RealHost>(model, work.host());
  await world.engine.grants.addRule(null, { effect: "deny", scope: "always", target: { tool, path: "**/b.txt" } });
  const log = await allowAll(world, await world.engine.startSession("look"));
  const [grep, , , read] = callsOf(log).map(({ result }) => result?.text ?? "");
  expect(grep).toContain("a.txt");
  for (const text of [grep, read]) expect(text).not.toContain("b.txt:");
  expect(callsOf(log).map(({ result }) => result?.text).join("\n")).not.toMatch(/b\.txt.*count = 0/s);
  expect(read).toContain("rule of the user");
});

test("row 53: a command that ran under a journal that is gone is not run again, and nobody says that it did not run", async () => {
  const host = work.host();
  const first = new FakeWorld<RealHost>(ScriptedModel.steps(() => callTools(["exec_run", { command: "count" }]), () => say("done")), host);
  const session = await first.engine.startSession("count");
  await allowAll(first, session);
  const past = await first.storage.readEvents(session, 0);
  first.die();
  host.loseJournal();
  const started = past.slice(0, past.findLastIndex(({ event }) => event.type === "ToolStarted") + 1);
  const again = await FakeWorld.restored<RealHost>(started, ScriptedModel.steps(() => say("?"), () => say("done")), host);
  const log = await allowAll(again, session);
  expect(callsOf(log)[0]?.result?.structured).toMatchObject({ code: "outcome_unknown" });
  expect(host.effects.get("count")).toBe(1);
});
