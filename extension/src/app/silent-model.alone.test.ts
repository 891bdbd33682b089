// Row 10: a server that took the request and says nothing more does not keep a turn for ever; nor does one that sends keep-alives alone.
import { expect, test, vi } from "vitest";
import { makeModel } from "../llm/providers.ts";
import { eventually } from "../testing/eventually.ts";
import { FakeHost } from "../testing/fake-host.ts";
import { FakeWorld } from "../testing/fake-world.ts";
import { serve } from "../testing/sse-server.ts";

/** Short only while the server is silent: a busy machine's answer is never taken for silence. */
const silence = vi.hoisted(() => ({ ms: 0 }));
vi.mock("../agent/limits.ts", async (load) => {
  const limits = { ...(await load<object>()) };
  return Object.defineProperty(limits, "MODEL_SILENCE_MS", { get: () => silence.ms, enumerable: true });
});

test.each(["silence", "keep-alives", "half an answer and silence"])("%s: the turn ends in words, the request is over, and Retry goes on", async (kind) => {
  let closed = 0;
  let isSick = true;
  silence.ms = 1_500;
  const server = await serve((response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    if (!isSick) {
      response.end('data: {"choices":[{"index":0,"delta":{"content":"well"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n');
      return;
    }
    response.write(kind === "silence" ? "\n" : kind === "keep-alives" ? ": hold\n\n" : 'data: {"choices":[{"index":0,"delta":{"content":"half"}}]}\n\n');
    const dripping = setInterval(() => kind === "keep-alives" && response.write(": hold\n\n"), 30);
    response.on("close", () => {
      clearInterval(dripping);
      closed += 1;
    });
  });
  try {
    const world = new FakeWorld(makeModel("openai_compatible", { label: "It", baseUrl: server.baseUrl, modelName: "m", apiKey: null }, false), new FakeHost());
    const session = await world.engine.startSession("hello");
    const log = await world.ended(session);
    expect(log.turns[0]).toMatchObject({ outcome: "failed", fault: { code: "model_silent" } });
    expect(log.turns[0]?.steps[0]?.text).toBe(kind === "half an answer and silence" ? "half" : "");
    await eventually(() => expect(closed).toBe(1));
    expect(server.seen).toHaveLength(1);
    isSick = false;
    silence.ms = 600_000;
    await world.engine.resume(session);
    expect((await world.ended(session)).turns[0]).toMatchObject({ outcome: "complete" });
  } finally {
    server.close();
  }
});
