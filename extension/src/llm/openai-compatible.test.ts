// The OpenAI-compatible adapter against a real server: parts, prompts, and every failure in words.
import { afterEach, describe, expect, test } from "vitest";
import { fail, serve, stream, type SseAnswer } from "../testing/sse-server.ts";
import { ModelFault, type ModelPart, type ModelRequest } from "./model.ts";
import { openAiCompatibleModel } from "./openai-compatible.ts";
import { retryAfterMs } from "./retry-after.ts";

const servers: { close(): void }[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

const REQUEST: ModelRequest = {
  system: "be brief",
  messages: [{ role: "user", text: "hi" }],
  tools: [{ name: "fs_read", description: "Reads", parameters: { type: "object", properties: { path: { type: "string" } } } }],
  signal: new AbortController().signal,
};

async function ask(request: Partial<ModelRequest>, apiKey: string | null, ...answers: readonly SseAnswer[]) {
  const server = await serve(...answers);
  servers.push(server);
  const model = openAiCompatibleModel({ label: "Local", baseUrl: `${server.baseUrl}/`, modelName: "m", apiKey });
  const parts: ModelPart[] = [];
  let fault: ModelFault | null = null;
  try {
    for await (const part of model.stream({ ...REQUEST, ...request })) parts.push(part);
  } catch (error) {
    if (!(error instanceof ModelFault)) throw error;
    fault = error;
  }
  return { parts, fault, seen: server.seen };
}

describe("a stream", () => {
  test("becomes text, reasoning, calls, and one end with its usage", async () => {
    const { parts } = await ask({}, null, (response) =>
      stream(
        response,
        [
          { role: "assistant", reasoning_content: "hm" },
          { content: "Let me " },
          { content: "look." },
          { tool_calls: [{ index: 0, id: "call_1", type: "function", function: { name: "fs_read", arguments: '{"pa' } }] },
          { tool_calls: [{ index: 0, function: { arguments: 'th":"a"}' } }] },
          { tool_calls: [{ index: 1, id: "call_2", type: "function", function: { name: "fs_read", arguments: '{"path":"b"}' } }] },
        ],
        "tool_calls",
      ),
    );
    expect(parts).toEqual([
      { type: "accepted", requestId: null },
      { type: "reasoning", text: "hm" },
      { type: "text", text: "Let me " },
      { type: "text", text: "look." },
      { type: "call", providerCall: "call_1", tool: "fs_read", argsText: '{"path":"a"}', providerData: null },
      { type: "call", providerCall: "call_2", tool: "fs_read", argsText: '{"path":"b"}', providerData: null },
      { type: "finish", reason: "tool_calls", usage: { inputTokens: 12, outputTokens: 3, cachedInputTokens: 0, reasoningTokens: 0 }, providerData: null },
    ]);
  });

  test("the request carries key, tools, and results after the calls they belong to", async () => {
    const { seen } = await ask(
      {
        messages: [
          { role: "user", text: "read" },
          { role: "assistant", text: "", reasoning: "", providerData: null, calls: [{ call: "call_1", tool: "fs_read", argsText: '{"path":"a"}', providerData: null }] },
          { role: "tool", call: "call_1", tool: "fs_read", text: "  1|x", isError: false },
        ],
      },
      "sk-1",
      (response) => stream(response, [{ content: "ok" }]),
    );
    expect(seen[0]).toMatchObject({ path: "/v1/chat/completions", headers: { authorization: "Bearer sk-1" }, body: { model: "m", stream: true } });
    expect(seen[0]?.body.messages).toMatchObject([
      { role: "system", content: "be brief" },
      { role: "user", content: "read" },
      { role: "assistant", tool_calls: [{ id: "call_1", type: "function", function: { name: "fs_read", arguments: '{"path":"a"}' } }] },
      { role: "tool", tool_call_id: "call_1", content: "  1|x" },
    ]);
    expect(seen[0]?.body.tools).toHaveLength(1);
  });

  test("no key, no authorization", async () => {
    const { seen } = await ask({}, null, (response) => stream(response, [{ content: "ok" }]));
    expect(seen[0]?.headers.authorization).toBeUndefined();
  });
});

describe("failures", () => {
  test.each<[number, string, boolean]>([
    [400, "bad_request", false],
    [401, "key_refused", false],
    [402, "no_credit", false],
    [403, "not_allowed", false],
    [404, "model_not_found", false],
    [408, "refused", true],
    [409, "refused", true],
    [413, "too_long", false],
    [425, "refused", true],
    [429, "rate_limited", true],
    [500, "server_error", true],
    [503, "overloaded", true],
    [529, "overloaded", true],
  ])("status %i", async (status, code, retryable) => {
    const { fault, seen } = await ask({}, "sk-secret", fail(status, {}, "because"));
    expect(fault?.fault).toMatchObject({ code, retryable });
    expect(fault?.fault.message).toContain("because");
    expect(JSON.stringify(fault?.fault)).not.toContain("sk-secret");
    // Trying again is the engine's, where it is seen and can be stopped.
    expect(seen).toHaveLength(1);
  });

  test("the server's own wait is kept", async () => {
    const { fault } = await ask({}, null, fail(429, { "retry-after": "7" }));
    expect(fault?.retryAfterMs).toBe(7_000);
  });

  test("a stream that breaks off is cut, not whole", async () => {
    const { parts, fault } = await ask({}, null, (response) => stream(response, [{ content: "half" }], null));
    expect(parts.some((part) => part.type === "finish")).toBe(false);
    expect(fault?.fault.retryable).toBe(true);
  });

  test("a stream that ends without its end is cut", async () => {
    const { fault } = await ask({}, null, (response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end("data: [DONE]\n\n");
    });
    expect(fault?.fault).toMatchObject({ code: "stream_cut", retryable: true });
  });

  test("a server that is not there", async () => {
    const model = openAiCompatibleModel({ label: "Local", baseUrl: "http://127.0.0.1:9/v1", modelName: "m", apiKey: null });
    await expect(model.stream(REQUEST)[Symbol.asyncIterator]().next()).rejects.toMatchObject({ fault: { code: "network", retryable: true } });
  });

  test("stopping is no failure of the model", async () => {
    const controller = new AbortController();
    const server = await serve((response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(": open\n\n");
    });
    servers.push(server);
    const model = openAiCompatibleModel({ label: "Local", baseUrl: server.baseUrl, modelName: "m", apiKey: null });
    setTimeout(() => controller.abort(), 50);
    await expect(Array.fromAsync(model.stream({ ...REQUEST, signal: controller.signal }))).rejects.not.toBeInstanceOf(ModelFault);
  });
});

describe("the wait a server asks for", () => {
  const now = Date.parse("2026-11-20T12:00:00Z");
  test.each<[Record<string, string>, number | null]>([
    [{ "retry-after": "2" }, 2_000],
    [{ "Retry-After": "Fri, 20 Nov 2026 12:00:30 GMT" }, 30_000],
    [{ "retry-after": "Fri, 20 Nov 2026 11:00:00 GMT" }, 0],
    [{ "retry-after-ms": "250", "retry-after": "9" }, 250],
    [{ "retry-after": "soon" }, null],
    [{}, null],
  ])("%o", (headers, expected) => {
    expect(retryAfterMs(headers, now)).toBe(expected);
  });
});
