// Wish 18: a key is where keys are and nowhere else: not in a log, an export, the prompt inspector, a trace, the search or a view,
// also where the server repeats it in whatever it says of itself.
import type { ServerResponse } from "node:http";
import { expect, test } from "vitest";
import { viewSession } from "../agent/projection.ts";
import { MemoryStorage } from "../storage/memory-storage.ts";
import { FakeHost } from "../testing/fake-host.ts";
import { FakeWorld } from "../testing/fake-world.ts";
import { allowAll, editTool, readTool } from "../testing/session-log.ts";
import { serve, stream, type SseAnswer } from "../testing/sse-server.ts";
import { exportHtml } from "./export-html.ts";
import { KeyVault } from "./key-vault.ts";
import { Models } from "./models.ts";

const KEY = "sk-live-0123456789";

/** All that is stored but the keys themselves. */
async function everything(storage: MemoryStorage): Promise<unknown> {
  const sessions = await storage.listSessions();
  return {
    sessions,
    events: await Promise.all(sessions.map(({ id }) => storage.readEvents(id, 0))),
    docs: await storage.readDocs(await storage.findDocs("")),
    contents: await Promise.all(["", ...sessions.map(({ id }) => id)].map((id) => storage.listContents(id))),
    models: await storage.listModels(),
    usage: await storage.listUsage(""),
    settings: await Promise.all(["defaults", "traces", "rules", "settings", "model_facts", "key_vault"].map((name) => storage.readSetting(name))),
  };
}

const repeating = (status: number, kind: "anthropic" | "openai" | "google" | "openai_compatible"): SseAnswer => (response: ServerResponse, request) => {
  const heard = JSON.stringify(request.headers);
  // It stands where the fault's words are cut off: half of it would be left.
  const words = `${"so much to say ".repeat(18)}${KEY} ${KEY}${KEY}`;
  // Each provider's own way to send it.
  expect(heard, kind).toContain(KEY);
  response.writeHead(status, { "content-type": "application/json", "x-request-id": `req-${KEY}`, "request-id": KEY });
  response.end(JSON.stringify({ type: "error", error: { type: "x", code: status, status: "X", message: words } }));
};

test.each(["anthropic", "openai", "google", "openai_compatible"] as const)("%s repeats it in each error", async (kind) => {
  const answers = [401, 400, 403, 404, 200].map((status) => repeating(status, kind));
  const server = await serve(...answers);
  const storage = new MemoryStorage();
  const models = new Models({ storage, vault: new KeyVault({ storage, memory: { get: async () => undefined, set: async () => {}, remove: async () => {} } }), newId: () => "m1", isPermitted: async () => true });
  await models.save({ id: null, kind, label: "It", baseUrl: server.baseUrl, modelName: "m", apiKey: KEY });
  const world = new FakeWorld(await models.open("m1"), new FakeHost().add(readTool, editTool), storage);
  try {
    const session = await world.engine.startSession("go");
    await world.ended(session);
    for (let round = 1; round < answers.length - 1; round += 1) {
      await world.engine.resume(session);
      await world.until(session, ({ turns }) => (turns[0]?.steps.length ?? 0) > round && turns[0]?.outcome !== null);
    }
    // With status 200 it is asked again by itself: a person stops it.
    await world.engine.resume(session);
    await world.until(session, ({ turns }) => turns[0]?.steps.at(-1)?.cut !== null && (turns[0]?.steps.length ?? 0) >= answers.length);
    await world.engine.stop(session).catch(() => {});
    await world.ended(session);
    await world.engine.library.index.catchUp(await world.engine.sessions());
    expect(JSON.stringify(await storage.readEvents(session, 0))).toContain("[key]");
    const told = [
      await everything(storage),
      world.traces,
      viewSession(await world.log(session)),
      await world.engine.inspectPrompt(session),
      await Promise.all((["markdown", "json"] as const).map((format) => world.engine.transfer.as(session, format))),
      exportHtml(await world.engine.transfer.view(session)),
      await world.engine.transfer.copy(session, null),
      await models.list(),
      await world.engine.library.search({ text: "much" }),
    ];
    for (const [place, each] of told.entries()) expect(JSON.stringify(each).includes(KEY.slice(0, 12)), `${place}`).toBe(false);
  } finally {
    server.close();
    world.die();
  }
});

test("nor does it come with what a session that went well keeps", async () => {
  const server = await serve((response) => stream(response, [{ content: "I read." }, { tool_calls: [{ index: 0, id: "c", type: "function", function: { name: "fs_read", arguments: '{"path":"a"}' } }] }], "tool_calls"), (response) => stream(response, [{ content: "done" }]));
  const storage = new MemoryStorage();
  const models = new Models({ storage, vault: new KeyVault({ storage, memory: { get: async () => undefined, set: async () => {}, remove: async () => {} } }), newId: () => "m1", isPermitted: async () => true });
  await models.save({ id: null, label: "It", baseUrl: server.baseUrl, modelName: "m", apiKey: KEY });
  const world = new FakeWorld(await models.open("m1"), new FakeHost().add(readTool), storage);
  try {
    const session = await world.engine.startSession("go");
    expect((await allowAll(world, session)).turns[0]?.outcome).toBe("complete");
    expect(server.seen[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
    expect(JSON.stringify([await everything(storage), world.traces, await world.engine.inspectPrompt(session), await world.engine.transfer.toJson(session)])).not.toContain(KEY);
  } finally {
    server.close();
    world.die();
  }
});
