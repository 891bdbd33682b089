// Row 19 (user wish 16): a rule on a path holds for what looks through the whole folder, by way of the host, which knows the paths.
import { describe, expect, test } from "vitest";
import { globCovers } from "../lib/glob.ts";
import { FakeHost, type FakeTool } from "../testing/fake-host.ts";
import { FakeWorld } from "../testing/fake-world.ts";
import { callTools, say, ScriptedModel } from "../testing/scripted-model.ts";
import { allowAll, answersFor, callsOf, readTool, waitingCalls } from "../testing/session-log.ts";

const FILES = { "src/a.ts": "let key", "secrets/key.txt": "key=1234" };
const grep: FakeTool = {
  name: "search_grep",
  readOnly: true,
  tier: "auto",
  run: (_args, { denied }) => ({ text: Object.entries(FILES).flatMap(([path, text]) => (denied.some((each) => globCovers(each.path, path)) ? [] : [`${path}: ${text}`])).join("\n") || "no matches" }),
};
const search = () => ScriptedModel.steps(() => callTools(["search_grep", { pattern: "key" }]), () => say("done"));

describe("a rule on reading a path", () => {
  test.each(["*", "fs_read", "search_grep"])("a deny for %s keeps the file out of a search over everything", async (tool) => {
    const world = new FakeWorld(search(), new FakeHost().add(readTool, grep));
    await world.engine.grants.addRule(null, { effect: "deny", scope: "always", target: { tool, path: "secrets/**" } });
    const log = await world.ended(await world.engine.startSession("look"));
    expect(callsOf(log)[0]?.result?.text).toBe("src/a.ts: let key");
    world.die();
  });

  test("one for this session does as well, and an allow beside it changes nothing", async () => {
    const model = ScriptedModel.steps(() => say("ready"), () => callTools(["search_grep", { pattern: "key" }]), () => say("done"));
    const world = new FakeWorld(model, new FakeHost().add(readTool, grep));
    const session = await world.engine.startSession("begin");
    await world.ended(session);
    await world.engine.grants.addRule(session, { effect: "deny", scope: "session", target: { tool: "fs_read", path: "secrets/**" } });
    await world.engine.grants.addRule(null, { effect: "allow", scope: "always", target: { tool: "*" } });
    await world.engine.sendMessage(session, "look");
    const log = await world.until(session, ({ turns }) => turns[1]?.outcome === "complete");
    expect(callsOf(log)[0]?.result?.text).toBe("src/a.ts: let key");
    world.die();
  });

  test("what asks by its name is not quoted unasked; allowed on its card it is read", async () => {
    const model = ScriptedModel.steps(() => callTools(["search_grep", { pattern: "key" }]), () => callTools(["search_grep", { pattern: "key", path: "secrets/key.txt" }]), () => say("done"));
    const world = new FakeWorld(model, new FakeHost().add(readTool, grep));
    await world.engine.grants.addRule(null, { effect: "ask", scope: "always", target: { tool: "fs_read", path: "secrets/**" } });
    const session = await world.engine.startSession("look");
    const asked = await world.until(session, (log) => waitingCalls(log).length === 1);
    expect(callsOf(asked)[0]?.result?.text).toBe("src/a.ts: let key");
    await world.engine.answers.approval(session, answersFor(asked, "allow"));
    const log = await allowAll(world, session);
    expect(callsOf(log)[1]?.result?.text).toContain("secrets/key.txt: key=1234");
    world.die();
  });

  test("a host that cannot keep it is not asked to read at all", async () => {
    const host = new FakeHost().add(readTool, grep);
    host.hello = (hello) => ({ ...hello, features: ["chunks"] });
    const world = new FakeWorld(search(), host);
    await world.engine.grants.addRule(null, { effect: "deny", scope: "always", target: { tool: "*", path: "secrets/**" } });
    const log = await world.ended(await world.engine.startSession("look"));
    expect(callsOf(log)[0]?.result).toMatchObject({ isError: true, structured: { code: "approval_denied" } });
    expect(host.requests).toEqual([]);
    world.die();
  });

  test("without such a rule nothing is sent along", async () => {
    const world = new FakeWorld(search(), new FakeHost().add(grep));
    await world.ended(await world.engine.startSession("look"));
    expect(JSON.stringify(world.host.requests)).not.toContain("denied");
    world.die();
  });
});
