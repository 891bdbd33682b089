// Rows 36, 75: what can be done with a turn: again, out, copied; its files and commands; and the conversation as a file.
import { describe, expect, test } from "vitest";
import { viewSession } from "../agent/projection.ts";
import { exportHtml } from "./export-html.ts";
import { makeTitle } from "./make-title.ts";
import { FakeHost } from "../testing/fake-host.ts";
import { FakeWorld } from "../testing/fake-world.ts";
import { callTools, say, ScriptedModel } from "../testing/scripted-model.ts";
import { allowAll, editTool, execTool, readTool, waitingCalls } from "../testing/session-log.ts";

const talk = () => new ScriptedModel((request) => () => say(`answer ${request.messages.length}`));

async function twoTurns() {
  const model = talk();
  const world = new FakeWorld(model, new FakeHost());
  const session = await world.engine.startSession("first");
  await world.ended(session);
  await world.engine.sendMessage(session, "second");
  const log = await world.until(session, (each) => each.turns[1]?.outcome === "complete");
  return { model, world, session, ids: log.turns.map(({ id }) => id) };
}

describe("row 36: a turn", () => {
  test("is asked once more on a branch of its own; the first answer stays on the other", async () => {
    const { world, session, ids } = await twoTurns();
    await world.engine.retryTurn(session, ids[0] ?? "");
    const log = await world.until(session, (each) => each.turns.length === 1 && each.turns[0]?.outcome === "complete" && each.turns[0].id !== ids[0]);
    expect(log.turns[0]?.text).toBe("first");
    expect(log.branches.map(({ kind }) => kind)).toEqual(["main", "retry"]);
    await world.engine.branches.select(session, "main");
    expect((await world.log(session)).turns.map(({ id }) => id)).toEqual(ids);
  });

  test("that failed goes on where it stopped", async () => {
    let isBroken = true;
    const world = new FakeWorld(new ScriptedModel(() => () => (isBroken ? [] : say("better"))), new FakeHost());
    const session = await world.engine.startSession("x", { limits: { retries: 0 } });
    const failed = await world.ended(session);
    expect(failed.turns[0]?.outcome).toBe("failed");
    isBroken = false;
    await world.engine.retryTurn(session, failed.turns[0]?.id ?? "");
    const log = await world.until(session, (each) => each.turns[0]?.outcome === "complete");
    expect([log.turns[0]?.id, log.branches.length]).toEqual([failed.turns[0]?.id, 1]);
  });

  test("is left out of the conversation, and can be taken back", async () => {
    const { world, session, ids, model } = await twoTurns();
    const before = await world.engine.branches.remove(session, ids[0] ?? "");
    expect((await world.log(session)).turns.map(({ text }) => text)).toEqual(["second"]);
    await world.engine.sendMessage(session, "third");
    await world.until(session, (each) => each.turns.at(-1)?.text === "third" && each.turns.at(-1)?.outcome === "complete");
    expect(model.requests.at(-1)?.messages.map((message) => message.text)).toEqual(["second", "answer 3", "third"]);
    await world.engine.branches.select(session, before);
    expect((await world.log(session)).turns.map(({ id }) => id)).toEqual(ids);
    await expect(world.engine.branches.remove(session, "nope")).rejects.toMatchObject({ fault: { code: "no_turn" } });
  });

  test("is copied as markdown, by itself or with the whole conversation", async () => {
    const { world, session, ids } = await twoTurns();
    expect(await world.engine.transfer.copy(session, ids[1] ?? "")).toBe("## You\n\nsecond\n\n## Scripted\n\nanswer 3");
    expect(await world.engine.transfer.copy(session, null)).toMatch(/^# first\n[\s\S]*second/);
  });
});

describe("a title", () => {
  const titled = (text: string) => ({ label: "t", stream: async function* stream() { yield* say(text); } });

  test.each([
    ["\"Fixing the parser.\"\nand more", "Fixing the parser"],
    ["", null],
    ["x".repeat(80), null],
  ])("%j becomes %j", async (text, expected) => {
    const { world, session } = await twoTurns();
    expect(await makeTitle(await world.log(session), titled(text))).toBe(expected);
  });

  test("that comes when the session was deleted does not bring it back", async () => {
    const world = new FakeWorld(talk(), new FakeHost());
    let name: (title: string) => void = () => {};
    world.title = () => new Promise((resolve) => (name = resolve));
    const session = await world.engine.startSession("first");
    await world.ended(session);
    await world.engine.deleteSession(session, false);
    name("too late");
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(await world.engine.sessions()).toEqual([]);
    await world.engine.restoreSession(session);
    expect((await world.log(session)).title).toBeNull();
  });

  test("what a person named, and what belongs to another session, is not named", async () => {
    const { world, session } = await twoTurns();
    const log = await world.log(session);
    expect(await makeTitle({ ...log, title: "mine" }, titled("no"))).toBeNull();
    expect(await makeTitle({ ...log, origin: { kind: "side", session: "p", by: null } }, titled("no"))).toBeNull();
  });
});

describe("the conversation as a file", () => {
  test("markdown and HTML hold what was said and done; nothing in either can break out or load anything", async () => {
    const evil = "</pre><script>alert(1)</script>\n```\nend";
    const model = ScriptedModel.steps(() => callTools(["fs_read", { path: "a" }]), () => say(`<img src=https://evil.example/x> ${evil}`));
    const world = new FakeWorld(model, new FakeHost().add({ ...readTool, run: () => ({ text: evil }) }));
    const session = await world.engine.startSession("What/is: this?");
    await world.ended(session);
    const html = exportHtml(await world.engine.transfer.view(session));
    expect(html).toMatchObject({ name: "What-is-this.html", mediaType: "text/html" });
    expect(html.text).toContain("default-src 'none'");
    expect(html.text).not.toMatch(/<script|<img/);
    const markdown = await world.engine.transfer.as(session, "markdown");
    expect(markdown.name).toBe("What-is-this.md");
    // The fence is longer than any in what it holds.
    expect(markdown.text).toContain("````\nfs_read");
    const json = await world.engine.transfer.as(session, "json");
    expect((await world.engine.transfer.fromJson(json.text)).dropped).toBe(0);
  });
});

describe("row 75: what was done on the machine", () => {
  const diff = { path: "a.txt", op: "edit", added: 1, removed: 1, hunks: [] };

  test("files of a turn, of the session, and of what its sub-agents did, by their time", async () => {
    const host = new FakeHost().add(editTool);
    const world = new FakeWorld(ScriptedModel.steps(() => callTools(["spawn_agent", { task: "look" }]), () => say("ok")), host);
    const session = await world.engine.startSession("x");
    const log = await world.ended(session);
    const turn = log.turns[0]?.id ?? "";
    const child = log.turns[0]?.steps[0]?.calls[0]?.id ?? "";
    host.turns = (of) => (of === session ? [{ turn, session, state: "done", commands: 0, finished_at: "2026-11-21T10:00:02Z" }] : [{ turn: "c", session: of, state: "undone", commands: 1, finished_at: "2026-11-21T10:00:01Z" }]);
    host.diff = (of) => ({ state: "done", files: of === turn ? [diff] : [{ path: "b", op: "create", added: 0, removed: 0, missing: "it is too large" }] });
    const all = await world.engine.changes.list(session, null);
    expect(all.map((each) => [each.session === session, each.state, each.files.map(({ path, missing }) => [path, missing])])).toEqual([
      [false, "undone", [["b", "it is too large"]]],
      [true, "done", [["a.txt", null]]],
    ]);
    expect(all[0]?.session).toBe(child);
    expect(await world.engine.changes.list(session, turn)).toHaveLength(2);
    expect(await world.engine.changes.list(session, "other")).toEqual([]);
  });

  test("a running command is seen with its output, and ended: its result says so, and the model is told", async () => {
    let begun: () => void = () => {};
    const runs = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const host = new FakeHost().add({
      ...execTool,
      preview: () => ({ kind: "command", command: "serve", program: "/bin/serve", args: [], workdir: ".", network: false, sandbox: "none", timeout_ms: 1, can_read_blocked: false }),
      run: (_args, { output, cancelled }) =>
        new Promise((resolve) => {
          output("listening\r\n");
          begun();
          cancelled.addEventListener("abort", () => resolve({ text: "cancelled: ended by the user after it wrote 11 bytes", isError: true, code: "cancelled" }));
        }),
    });
    const model = ScriptedModel.steps(() => callTools(["exec_run", { command: "serve", args: ["--port", "1"] }]), () => say("ok"));
    const world = new FakeWorld(model, host);
    const session = await world.engine.startSession("x");
    await world.until(session, (log) => waitingCalls(log).length === 1);
    const done = allowAll(world, session);
    await runs;
    const log = await world.until(session, (each) => each.turns[0]?.steps[0]?.calls[0]?.output !== "");
    const [command] = viewSession(log).commands ?? [];
    expect(command).toMatchObject({ command: "serve", args: ["--port", "1"], output: "listening\r\n", canKill: true, ended: null });
    expect((await world.engine.changes.kill(session, command?.call ?? "")).message).toContain("told to end");
    const ended = await done;
    expect(viewSession(ended).commands?.[0]).toMatchObject({ state: "cancelled", canKill: false, output: "listening\r\n" });
    expect(model.requests[1]?.messages.at(-1)?.text).toContain("ended by the user");
    await expect(world.engine.changes.kill(session, command?.call ?? "")).rejects.toMatchObject({ fault: { code: "not_running" } });
  });

  test("a background job is ended by the host's own tool for it", async () => {
    const killed: unknown[] = [];
    const host = new FakeHost().add(
      { ...execTool, run: () => ({ text: "running", data: { outcome: "running", job: "j1" } }) },
      { name: "exec_kill", readOnly: false, tier: "auto", inputSchema: { type: "object", properties: { job: { type: "string" } }, required: ["job"] }, run: (args) => (killed.push(args), { text: "ended" }) },
    );
    const world = new FakeWorld(ScriptedModel.steps(() => callTools(["exec_run", { command: "serve", background: true }]), () => say("ok")), host);
    const session = await world.engine.startSession("x");
    const log = await allowAll(world, session);
    const [command] = viewSession(log).commands ?? [];
    expect(command).toMatchObject({ job: "j1", canKill: true, ended: { outcome: "running" } });
    host.jobs = ({ j1 = -1 }) => [
      { job: "j1", command: "serve", state: "exited", exit_code: 3, bytes_total: 9, output: { text: `more from ${j1}`, next_since: 42, omitted_bytes: 0 } },
      { job: "j2", command: "late", state: "idle_timeout", bytes_total: 0 },
    ];
    expect(await world.engine.changes.jobs({ j1: 7 })).toEqual([
      { job: "j1", command: "serve", outcome: "exited", exitCode: 3, signal: null, output: { text: "more from 7", nextSince: 42 } },
      { job: "j2", command: "late", outcome: "killed", exitCode: null, signal: null, output: null },
    ]);
    expect((await world.engine.changes.kill(session, command?.call ?? "")).message).toContain("j1 was ended");
    expect(killed).toEqual([{ job: "j1" }]);
  });
});
