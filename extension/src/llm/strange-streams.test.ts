// Row 20 (wish 15; ancestor faults 2, 12): whatever a server or something between does to a stream, it is read as it was meant, or is
// a fault in words that are true. Each provider's own format, over real HTTP.
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, test } from "vitest";
import { ModelFault, type ModelPart, type ModelRequest } from "./model.ts";
import { makeModel, type ProviderKind } from "./providers.ts";

const KINDS = ["anthropic", "openai", "google", "openai_compatible"] as const satisfies readonly ProviderKind[];
const KEY = "sk-very-secret";

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

async function serve(answer: Answer) {
  const seen: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    seen.push(request);
    request.resume().on("end", () => answer(response, request));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve());
  });
  closing.push(() => (server.closeAllConnections(), server.close()));
  return { seen, baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` };
}

const REQUEST: ModelRequest = {
  system: "be brief",
  messages: [{ role: "user", text: "read a.txt" }],
  tools: [{ name: "fs_read", description: "Reads", parameters: { type: "object", properties: { path: { type: "string" } } } }],
  signal: new AbortController().signal,
};

async function ask(kind: ProviderKind, answer: Answer) {
  const { baseUrl, seen } = await serve(answer);
  const parts: ModelPart[] = [];
  let fault: ModelFault | null = null;
  try {
    for await (const part of makeModel(kind, { label: "It", baseUrl, modelName: "m", apiKey: KEY }, false).stream(REQUEST)) parts.push(part);
  } catch (error) {
    if (!(error instanceof ModelFault)) throw error;
    fault = error;
  }
  return { parts, fault, seen };
}

const fixture = (kind: ProviderKind): string => readFileSync(join(import.meta.dirname, "fixtures", `${kind.replace("_", "-")}.sse`), "utf8");

const sse =
  (body: string | Buffer, headers: Record<string, string> = {}, pieces = 1_024): Answer =>
  async (response) => {
    const bytes = Buffer.from(body);
    response.writeHead(200, { "content-type": "text/event-stream", ...headers });
    for (let at = 0; at < bytes.length; at += pieces) {
      response.write(bytes.subarray(at, at + pieces));
      if (at % (pieces * 8) === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    response.end();
  };

/** What was said, without where it was cut into pieces. */
function gist(parts: readonly ModelPart[]) {
  const words = (type: "text" | "reasoning") => parts.map((part) => (part.type === type ? part.text : "")).join("");
  return {
    text: words("text"),
    reasoning: words("reasoning"),
    calls: parts.flatMap((part) => (part.type === "call" ? [[part.tool, part.argsText.trim() === "" ? {} : (JSON.parse(part.argsText) as unknown)]] : [])),
    ends: parts.flatMap((part) => (part.type === "finish" ? [[part.reason, part.usage?.inputTokens]] : [])),
  };
}

const sameAfter: readonly [string, (stream: string) => string | Buffer, Record<string, string>?][] = [
  ["CR LF at each end", (stream) => stream.replaceAll("\n", "\r\n")],
  ["CR alone at each end", (stream) => stream.replaceAll("\n", "\r")],
  ["a mark of the byte order at its beginning", (stream) => `\ufeff${stream}`],
  ["blank lines before it", (stream) => `\n\n${stream}`],
  ["comments between, as keep-alives", (stream) => `: open\n\n${stream.replaceAll("\n\n", "\n\n: keep-alive\n\n")}`],
  ["`retry:`, `id:` and fields nobody knows", (stream) => stream.replaceAll("\n\n", "\nretry: 10\nid: 7\nstrange: x\n\n")],
  ["no space behind the colon", (stream) => stream.replaceAll("data: ", "data:")],
  ["no `[DONE]`", (stream) => stream.replace(/data: \[DONE\]\s*/, "")],
  ["events a newer server has", (stream) => `event: ping\n: nothing\n\n${stream}`],
  ["packed", (stream) => gzipSync(stream), { "content-encoding": "gzip" }],
  ["called plain text", (stream) => stream, { "content-type": "text/plain" }],
];

describe.each(KINDS)("%s", (kind) => {
  test.each<[string, (stream: string) => string | Buffer, Record<string, string>?]>(sameAfter)("%s: the same answer", async (_name, change, headers = {}) => {
    const expected = gist((await ask(kind, sse(fixture(kind)))).parts);
    expect(expected.ends).toHaveLength(1);
    const { parts, fault } = await ask(kind, sse(change(fixture(kind)), headers, 61));
    expect(fault?.fault.message ?? null).toBeNull();
    expect(gist(parts)).toEqual(expected);
  });

  test("one line of some megabytes", async () => {
    const long = "x".repeat(3_000_000);
    const { parts, fault } = await ask(kind, sse(fixture(kind).replace("Let me ", `Let me ${long}`), {}, 65_536));
    expect(fault?.fault.message ?? null).toBeNull();
    expect(gist(parts).text.length).toBe(long.length + "Let me look — 漢字.".length);
  });

  test("an error in the middle: no end, the server's words, and worth asking again", async () => {
    const error = {
      anthropic: 'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"too many at once"}}\n\n',
      openai: 'event: error\ndata: {"type":"error","code":"server_error","message":"too many at once","param":null,"sequence_number":9}\n\n',
      google: 'data: {"error":{"code":503,"message":"too many at once","status":"UNAVAILABLE"}}\n\n',
      openai_compatible: 'data: {"error":{"message":"too many at once","code":502}}\n\ndata: [DONE]\n\n',
    }[kind];
    const whole = fixture(kind);
    const { parts, fault } = await ask(kind, sse(`${whole.slice(0, whole.indexOf("\n\n", whole.length / 4) + 2)}${error}`));
    expect(parts.some((part) => part.type === "finish")).toBe(false);
    expect(fault?.fault.retryable).toBe(true);
    expect(fault?.fault.message).toContain("too many at once");
  });

  test.each<[string, string, string, RegExp, boolean]>([
    ["an error with status 200", "application/json", '{"error":{"message":"quota is used up","code":429}}', /slow down.*quota is used up/, true],
    ["an error with status 200 in a list", "text/event-stream", ' \n[{"error":{"message":"no such model","code":404}}]', /no such model/, false],
    ["an error that is a word", "application/json", '{"error":"model is loading"}', /model is loading/, true],
    ["a whole document", "application/json", '{"id":"x","choices":[]}', /a whole document instead of a stream/, false],
    ["a sign-in page", "text/html", "<!DOCTYPE html><html><body>Please sign in</body></html>", /a web page instead of a stream/, false],
  ])("%s", async (_name, contentType, body, words, retryable) => {
    const { parts, fault, seen } = await ask(kind, sse(body, { "content-type": contentType }));
    expect(parts.some((part) => part.type === "finish")).toBe(false);
    expect(fault?.fault.message).toMatch(words);
    expect(fault?.fault.message).not.toContain("<");
    expect(fault?.fault.retryable).toBe(retryable);
    expect(seen).toHaveLength(1);
  });

  test.each([301, 302, 303, 307, 308])("status %i leads elsewhere: nobody there hears the key", async (status) => {
    const other = await serve(sse(fixture(kind)));
    const { parts, fault } = await ask(kind, (response) => response.writeHead(status, { location: `${other.baseUrl}/elsewhere` }).end());
    expect(fault?.fault).toMatchObject({ code: "redirected", retryable: false });
    expect(parts).toEqual([]);
    expect(other.seen).toEqual([]);
  });

  test("keep-alives alone, and then the end: cut, and worth asking again", async () => {
    const { parts, fault } = await ask(kind, sse(": keep-alive\n\n".repeat(50)));
    expect(parts.some((part) => part.type === "finish")).toBe(false);
    expect(fault?.fault).toMatchObject({ code: "stream_cut", retryable: true });
  });

  test("a server that repeats the key in its error: the fault does not", async () => {
    const { fault } = await ask(kind, (response) => {
      response.writeHead(401, { "content-type": "application/json" });
      response.end(JSON.stringify({ type: "error", error: { type: "x", code: 401, status: "X", message: `Incorrect API key provided: ${KEY}.` } }));
    });
    expect(fault?.fault.code).toBe("key_refused");
    expect(JSON.stringify(fault?.fault)).not.toContain(KEY);
    expect(fault?.message).not.toContain(KEY);
  });
});

const chunk = (choice: unknown, more: Record<string, unknown> = {}) => `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [choice], ...more })}\n\n`;
const delta = (value: Record<string, unknown>) => chunk({ index: 0, delta: value, finish_reason: null });
const call = (value: Record<string, unknown>) => delta({ tool_calls: [value] });
const END = chunk({ index: 0, delta: {}, finish_reason: "tool_calls" });
const DONE = "data: [DONE]\n\n";
const named = (path: string) => ["fs_read", { path }];

describe("servers that call themselves compatible", () => {
  test.each<[string, string, readonly unknown[]]>([
    ["two calls in turns", call({ index: 0, id: "a", function: { name: "fs_read", arguments: '{"path":' } }) + call({ index: 1, id: "b", function: { name: "fs_read", arguments: '{"path":' } }) + call({ index: 0, function: { arguments: '"one"}' } }) + call({ index: 1, function: { arguments: '"two"}' } }) + END, [named("one"), named("two")]],
    ["the second call first", call({ index: 1, id: "b", function: { name: "fs_read", arguments: '{"path":"two"}' } }) + call({ index: 0, id: "a", function: { name: "fs_read", arguments: '{"path":"one"}' } }) + END, [named("one"), named("two")]],
    ["no ids", call({ index: 0, function: { name: "fs_read", arguments: '{"path":"one"}' } }) + call({ index: 1, function: { name: "fs_read", arguments: '{"path":"two"}' } }) + END, [named("one"), named("two")]],
    ["the same id twice", call({ index: 0, id: "a", function: { name: "fs_read", arguments: '{"path":"one"}' } }) + call({ index: 1, id: "a", function: { name: "fs_read", arguments: '{"path":"two"}' } }) + END, [named("one"), named("two")]],
    ["no places", call({ id: "a", function: { name: "fs_read", arguments: '{"path":"one"}' } }) + call({ id: "b", function: { name: "fs_read", arguments: '{"path":"two"}' } }) + END, [named("one"), named("two")]],
    ["one place for two calls", call({ index: 0, id: "a", function: { name: "fs_read", arguments: '{"path":"one"}' } }) + call({ index: 0, id: "b", function: { name: "fs_read", arguments: '{"path":"two"}' } }) + END, [named("one"), named("two")]],
    ["no arguments", call({ index: 0, id: "a", function: { name: "fs_read", arguments: "" } }) + END, [["fs_read", {}]]],
    ["no arguments at all", call({ index: 0, id: "a", function: { name: "fs_read" } }) + END, [["fs_read", {}]]],
    ["arguments that are no text", call({ index: 0, id: "a", function: { name: "fs_read", arguments: { path: "one" } } }) + END, [named("one")]],
    ["the name after the id", call({ index: 0, id: "a", function: {} }) + call({ index: 0, function: { name: "fs_read", arguments: "" } }) + call({ index: 0, function: { arguments: '{"path":"one"}' } }) + END, [named("one")]],
    ["no reason of the end, but an end", call({ index: 0, id: "a", function: { name: "fs_read", arguments: '{"path":"one"}' } }) + DONE, [named("one")]],
    ["an empty reason on each chunk", chunk({ index: 0, delta: { content: "hm" }, finish_reason: "" }) + call({ index: 0, id: "a", function: { name: "fs_read", arguments: '{"path":"one"}' } }) + chunk({ index: 0, delta: {}, finish_reason: "" }) + DONE, [named("one")]],
    ["a chunk without choices before", `data: {"id":"c","object":"x","prompt_filter_results":[]}\n\n${call({ index: 0, id: "a", function: { name: "fs_read", arguments: '{"path":"one"}' } })}${END}`, [named("one")]],
  ])("%s", async (_name, stream, expected) => {
    const { parts, fault } = await ask("openai_compatible", sse(stream, {}, 37));
    expect(fault?.fault.message ?? null).toBeNull();
    const { calls, ends } = gist(parts);
    expect(calls).toEqual(expected);
    expect(ends.map(([reason]) => reason)).toEqual(["tool_calls"]);
    // Each has a name of its own, or its result could not be told apart.
    const ids = parts.flatMap((part) => (part.type === "call" ? [part.providerCall] : []));
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("what it used comes last, behind the end", async () => {
    const { parts } = await ask("openai_compatible", sse(delta({ content: "hi" }) + chunk({ index: 0, delta: {}, finish_reason: "stop" }) + `data: {"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":1}}\n\n${DONE}`));
    expect(gist(parts)).toMatchObject({ text: "hi", ends: [["stop", 7]] });
  });

  test("words that look like what is put right stay as they are", async () => {
    const text = 'write {"finish_reason":""} and {"arguments": {"a": 1}} and data: [DONE]\r\ndata: x \u2028 y';
    const { parts } = await ask("openai_compatible", sse(delta({ content: text }) + chunk({ index: 0, delta: {}, finish_reason: "stop" }) + DONE, {}, 13));
    expect(gist(parts).text).toBe(text);
  });

  test("a cut without an end is no end, also where words came", async () => {
    const { parts, fault } = await ask("openai_compatible", sse(delta({ content: "half of it" })));
    expect(gist(parts)).toMatchObject({ text: "half of it", ends: [] });
    expect(fault?.fault).toMatchObject({ code: "stream_cut", retryable: true });
  });
});
