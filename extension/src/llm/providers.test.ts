// Rows 20, 45 (wish 15; ancestor faults 2, 4, 20): each provider's own wire format, replayed over real HTTP, whole and broken.
//
// The streams in `fixtures/` are made from the providers' public documentation.
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { ModelFault, type ModelPart, type ModelRequest, type PromptMessage } from "./model.ts";
import { makeModel, type ProviderKind } from "./providers.ts";

const KINDS = ["anthropic", "openai", "google", "openai_compatible"] as const satisfies readonly ProviderKind[];

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

function fixture(kind: ProviderKind): Buffer {
  return readFileSync(join(import.meta.dirname, "fixtures", `${kind.replace("_", "-")}.sse`));
}

type Answer = (response: ServerResponse, request: IncomingMessage) => void | Promise<void>;

async function serve(answer: Answer) {
  const bodies: Record<string, unknown>[] = [];
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (piece: Buffer) => (text += piece.toString()));
    request.on("end", () => {
      bodies.push(JSON.parse(text) as Record<string, unknown>);
      void answer(response, request);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve());
  });
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { bodies, baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` };
}

const REQUEST: ModelRequest = {
  system: "be brief",
  messages: [{ role: "user", text: "read a.txt" }],
  tools: [{ name: "fs_read", description: "Reads", parameters: { type: "object", properties: { path: { type: "string" } } } }],
  signal: new AbortController().signal,
};

async function ask(kind: ProviderKind, answer: Answer, messages: readonly PromptMessage[] = REQUEST.messages) {
  const server = await serve(answer);
  const model = makeModel(kind, { label: "It", baseUrl: server.baseUrl, modelName: "m", apiKey: "sk-secret" }, false);
  const parts: ModelPart[] = [];
  let fault: ModelFault | null = null;
  try {
    for await (const part of model.stream({ ...REQUEST, messages })) parts.push(part);
  } catch (error) {
    if (!(error instanceof ModelFault)) throw error;
    fault = error;
  }
  return { parts, fault, bodies: server.bodies };
}

const whole = (kind: ProviderKind): Answer => (response) => {
  response.writeHead(200, { "content-type": "text/event-stream", "x-request-id": "req_7" });
  response.end(fixture(kind));
};

function textOf(parts: readonly ModelPart[], type: "text" | "reasoning"): string {
  return parts.map((part) => (part.type === type ? part.text : "")).join("");
}

const calls = (parts: readonly ModelPart[]) => parts.flatMap((part) => (part.type === "call" ? [[part.tool, JSON.parse(part.argsText) as unknown]] : []));

describe.each(KINDS)("%s", (kind) => {
  test("a whole stream: reasoning, text, a call, one end with what was used", async () => {
    const { parts, fault } = await ask(kind, whole(kind));
    expect(fault).toBeNull();
    expect(parts[0]).toEqual({ type: "accepted", requestId: "req_7" });
    expect(textOf(parts, "reasoning")).toBe("I must read the file.");
    expect(textOf(parts, "text")).toBe("Let me look — 漢字.");
    expect(calls(parts)).toEqual([["fs_read", { path: "a.txt" }]]);
    const end = parts.at(-1);
    expect(end).toMatchObject({ type: "finish", reason: "tool_calls" });
    expect(parts.filter((part) => part.type === "finish")).toHaveLength(1);
    // Anthropic counts what is cached apart; here all is counted together.
    const input = kind === "anthropic" ? 872 : 472;
    expect(end?.type === "finish" && end.usage).toMatchObject({ inputTokens: input, outputTokens: 89, cachedInputTokens: 300 });
  });

  test("the same in drips of a few bytes, in the middle of letters", async () => {
    const { parts } = await ask(kind, async (response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const bytes = fixture(kind);
      for (let at = 0; at < bytes.length; at += 97) {
        response.write(bytes.subarray(at, at + 97));
        if (at % 970 === 0) await new Promise((resolve) => setImmediate(resolve));
      }
      response.end();
    });
    expect(textOf(parts, "text")).toBe("Let me look — 漢字.");
    expect(calls(parts)).toEqual([["fs_read", { path: "a.txt" }]]);
    expect(parts.at(-1)).toMatchObject({ type: "finish" });
  });

  test("cut at any place, by a lost connection or a polite end: never a whole answer, and worth asking again", async () => {
    const bytes = fixture(kind);
    // After this the provider has said its end.
    const end = bytes.indexOf({ anthropic: "message_delta", openai: "event: response.completed", google: "CpcBAdHtim9", openai_compatible: '"finish_reason": "tool_calls"' }[kind]);
    for (let share = 0.05; share < 1; share += 0.15) {
      for (const isPolite of [true, false]) {
        const { parts, fault } = await ask(kind, (response) => {
          response.writeHead(200, { "content-type": "text/event-stream" });
          response.write(bytes.subarray(0, Math.floor(end * share)), () => (isPolite ? response.end() : response.destroy()));
        });
        expect(parts.some((part) => part.type === "finish"), `${share} ${isPolite}`).toBe(false);
        expect(fault?.fault.retryable, `${share} ${isPolite}: ${fault?.fault.message}`).toBe(true);
      }
    }
  });

  test("a malformed chunk is a fault, not an answer", async () => {
    const { parts, fault } = await ask(kind, (response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(fixture(kind).toString().replace(/data: [^\n]+/, 'data: {"half": '));
    });
    expect(parts.some((part) => part.type === "finish")).toBe(false);
    expect(fault?.fault.retryable).toBe(true);
  });

  test.each<[number, string, boolean, Record<string, string>]>([
    [429, "rate_limited", true, { "retry-after": "7" }],
    [529, "overloaded", true, {}],
    [503, "overloaded", true, {}],
    [500, "server_error", true, {}],
    [400, "bad_request", false, {}],
    [401, "key_refused", false, {}],
    [402, "no_credit", false, {}],
    [403, "not_allowed", false, {}],
  ])("status %i is %s", async (status, code, retryable, headers) => {
    const { fault, bodies } = await ask(kind, (response) => {
      response.writeHead(status, { "content-type": "application/json", ...headers });
      response.end(JSON.stringify({ type: "error", error: { type: "x", code: status, message: "because", status: "X" } }));
    });
    expect(fault?.fault).toMatchObject({ code, retryable });
    expect(fault?.retryAfterMs).toBe(headers["retry-after"] === undefined ? null : 7_000);
    expect(JSON.stringify(fault?.fault)).not.toContain("sk-secret");
    // Trying again is the engine's, where it is seen and can be stopped.
    expect(bodies).toHaveLength(1);
  });

  test("a wait that is asked for as a date is counted from now", async () => {
    const { fault } = await ask(kind, (response) => {
      response.writeHead(429, { "content-type": "application/json", "retry-after": new Date(Date.now() + 600_000).toUTCString() });
      response.end(JSON.stringify({ type: "error", error: { type: "x", code: 429, message: "because", status: "X" } }));
    });
    // A date of HTTP has no milliseconds, and the answer takes its time to come.
    expect(fault?.retryAfterMs).toBeGreaterThan(500_000);
    expect(fault?.retryAfterMs).toBeLessThanOrEqual(600_000);
  });

  test("what was signed or encrypted goes back unchanged, with the result after its call", async () => {
    const { parts } = await ask(kind, whole(kind));
    const end = parts.at(-1);
    const made = parts.flatMap((part) => (part.type === "call" ? [{ call: part.providerCall, tool: part.tool, argsText: part.argsText, providerData: part.providerData }] : []));
    // Through storage and back, as after a restart.
    const stored = JSON.parse(JSON.stringify({ providerData: end?.type === "finish" ? end.providerData : null, calls: made })) as { providerData: null; calls: typeof made };
    const talk: readonly PromptMessage[] = [
      ...REQUEST.messages,
      { role: "assistant", text: "Let me look — 漢字.", reasoning: "I must read the file.", ...stored },
      { role: "tool", call: made[0]?.call ?? "", tool: "fs_read", text: "  1|hi", isError: false },
    ];
    const { bodies, fault } = await ask(kind, whole(kind), talk);
    expect(fault).toBeNull();
    const sent = JSON.stringify(bodies[0]);
    const seal = { anthropic: "EqQBCgIYAhIM1gbcDa9GJwZA2b3h", openai: "gAAAAABencrypted", google: "CpcBAdHtim9signature", openai_compatible: "" }[kind];
    expect(sent).toContain(seal);
    const signed = sent.indexOf(kind === "openai_compatible" ? "Let me look" : seal);
    expect(sent.indexOf("1|hi")).toBeGreaterThan(signed);
    expect(sent).not.toContain("sk-secret");
  });
});

describe.each(KINDS)("row 39: attachments for %s", (kind) => {
  const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  const PDF = btoa("%PDF-1.4 tiny");
  const file = (name: string, mediaType: string, base64: string | null) => ({ attachment: { id: name, kind: "file" as const, name, mediaType, bytes: 1, tokens: 1, source: null }, base64, isLeftOut: false });

  test("a picture and a PDF go in the provider's own form, before the words; what was not read does not go", async () => {
    const messages: readonly PromptMessage[] = [{ role: "user", text: "what is this?", files: [file("a.png", "image/png", PNG), file("b.pdf", "application/pdf", PDF), file("c.txt", "text/plain", null)] }];
    const { fault, bodies } = await ask(kind, whole(kind), messages);
    expect(fault).toBeNull();
    const sent = JSON.stringify(bodies[0]);
    expect(sent).toContain(PNG);
    expect(sent).toContain(PDF);
    expect(sent).not.toContain("c.txt");
    expect(sent.indexOf(PNG)).toBeLessThan(sent.indexOf("what is this?"));
    const form = {
      anthropic: [{ type: "image", source: { type: "base64", media_type: "image/png", data: PNG } }, { type: "document", source: { type: "base64", media_type: "application/pdf", data: PDF } }],
      openai: [{ type: "input_image", image_url: `data:image/png;base64,${PNG}` }, { type: "input_file", file_data: `data:application/pdf;base64,${PDF}` }],
      google: [{ inlineData: { mimeType: "image/png", data: PNG } }, { inlineData: { mimeType: "application/pdf", data: PDF } }],
      openai_compatible: [{ type: "image_url", image_url: { url: `data:image/png;base64,${PNG}` } }, { type: "file", file: { filename: "b.pdf", file_data: `data:application/pdf;base64,${PDF}` } }],
    }[kind];
    const body = bodies[0] as { messages?: readonly unknown[]; input?: readonly unknown[]; contents?: readonly unknown[] };
    const talk = (body.contents ?? body.input ?? body.messages ?? []).at(-1) as { content?: readonly unknown[]; parts?: readonly unknown[] };
    expect((talk.parts ?? talk.content ?? []).slice(0, 2)).toMatchObject(form);
  });
});

describe.each(KINDS)("%s gets what it takes, whatever a model wrote before", (kind) => {
  const call = (name: string, tool: string, argsText: string) => ({ call: name, tool, argsText, providerData: null });
  const written = [call("functions.fs_read:0", "fs read", '{"path": "a'), call("call 2", "7", "[1]"), call("c3", "", '"text"'), call("c4", "fs_read", ""), call("c5", "x".repeat(200), '{"path":"a"}')];
  const talk: readonly PromptMessage[] = [
    { role: "user", text: `half \ud83d of one, \\ud83d in words, a whole \ud83d\ude80` },
    { role: "assistant", text: "\n \n", reasoning: "", providerData: null, calls: written },
    ...written.map((each): PromptMessage => ({ role: "tool", call: each.call, tool: each.tool, text: "cut \ude80", isError: true })),
  ];

  test("arguments are objects, names are plain, results find their calls, white space is no text, half a letter is none", async () => {
    const { fault, bodies } = await ask(kind, whole(kind), talk);
    expect(fault).toBeNull();
    const parts = everyPart(bodies[0]);
    const made = parts.flatMap((part) => madeCall(part));
    expect(made.map(({ args }) => args)).toEqual([{ unreadable_arguments: '{"path": "a' }, { unreadable_arguments: "[1]" }, { unreadable_arguments: '"text"' }, {}, { path: "a" }]);
    expect(made.map(({ name }) => name)).toEqual(["fs_read", "_7", "_", "fs_read", "x".repeat(64)]);
    if (kind === "anthropic" || kind === "openai") expect(made.map(({ id }) => id)).toEqual(["functions_fs_read_0", "call_2", "c3", "c4", "c5"]);
    if (kind === "openai_compatible") expect(made[0]?.id).toBe("functions.fs_read:0");
    if (kind !== "google") expect(parts.flatMap((part) => part["tool_use_id"] ?? (part["output"] === undefined ? undefined : part["call_id"]) ?? part["tool_call_id"] ?? [])).toEqual(made.map(({ id }) => id));
    expect(parts.filter((part) => typeof part["text"] === "string" && part["text"].trim() === "")).toEqual([]);
    const sent = JSON.stringify(bodies[0]);
    expect(sent).not.toMatch(/(?<!\\)\\ud[89a-f]/i);
    expect(sent).toContain("half \ufffd of one, \\\\ud83d in words, a whole \ud83d\ude80");
  });
});

/** Every object in a body, at whatever depth. */
function everyPart(value: unknown): readonly Record<string, unknown>[] {
  if (typeof value !== "object" || value === null) return [];
  const inner = Object.values(value).flatMap(everyPart);
  return Array.isArray(value) ? inner : [value as Record<string, unknown>, ...inner];
}

/** As each provider writes it. */
function madeCall(part: Record<string, unknown>): readonly { readonly id: unknown; readonly name: unknown; readonly args: unknown }[] {
  if (part["type"] === "tool_use") return [{ id: part["id"], name: part["name"], args: part["input"] }];
  if (part["type"] === "function_call") return [{ id: part["call_id"], name: part["name"], args: JSON.parse(String(part["arguments"])) }];
  const called = part["functionCall"] as Record<string, unknown> | undefined;
  if (called !== undefined) return [{ id: null, name: called["name"], args: called["args"] }];
  const named = part["type"] === "function" && "id" in part ? (part["function"] as Record<string, unknown>) : undefined;
  return named === undefined ? [] : [{ id: part["id"], name: named["name"], args: JSON.parse(String(named["arguments"])) }];
}

test("a talk begun with one provider goes on with another", async () => {
  for (const from of KINDS) {
    const { parts } = await ask(from, whole(from));
    const end = parts.at(-1);
    const made = parts.flatMap((part) => (part.type === "call" ? [{ call: part.providerCall, tool: part.tool, argsText: part.argsText, providerData: part.providerData }] : []));
    const talk: readonly PromptMessage[] = [
      ...REQUEST.messages,
      { role: "assistant", text: "Let me look.", reasoning: "I must.", providerData: end?.type === "finish" ? end.providerData : null, calls: made },
      { role: "tool", call: made[0]?.call ?? "", tool: "fs_read", text: "  1|hi", isError: false },
    ];
    for (const to of KINDS) {
      const { fault, bodies } = await ask(to, whole(to), talk);
      expect(fault?.fault.message ?? null, `${from} → ${to}`).toBeNull();
      expect(JSON.stringify(bodies[0]), `${from} → ${to}`).toContain("1|hi");
    }
  }
});
