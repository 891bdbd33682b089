// A scripted model server: OpenAI's chat completions over SSE, on 127.0.0.1, without a model.
//
// A scenario is data: a list of steps, answered in order, each once. A step says what the request must look like (`when`)
// and what is streamed back (`reply`). A request that fits no step is answered with an error that says why, so that a
// test which went astray fails with words. Everything that was asked is kept in `requests`.
//
// when:  { last: {role?, text?} matches the last message, any: /pattern/ matches some message, tool: text of a tool result }
// reply: { text?, reasoning?, calls?: [{id?, name, args}], delayMs?, status?, retryAfter?, cutAfter?, usage?, finish?, hold? }
//   calls' arguments are streamed in pieces of `piece` characters; `cutAfter` ends the connection after that many chunks;
//   with `hold` the last chunks wait for `release()`: a turn that lasts as long as the test needs, in however slow a browser.
import http from "node:http";

export class ModelServer {
  requests = [];
  problems = [];
  #steps;
  #next = 0;
  #server = null;
  #gate = Promise.withResolvers();

  constructor(steps) {
    this.#steps = steps;
  }

  static async start(steps) {
    const server = new ModelServer(steps);
    server.#server = http.createServer((request, response) => void server.#answer(request, response));
    await new Promise((resolve) => {
      server.#server.listen(0, "127.0.0.1", resolve);
    });
    return server;
  }

  get baseUrl() {
    return `http://127.0.0.1:${this.#server.address().port}/v1`;
  }

  /** How many steps have been answered. */
  get answered() {
    return this.#next;
  }

  get finished() {
    return this.#next === this.#steps.length;
  }

  /** Lets the answers end that are held. */
  release() {
    this.#gate.resolve();
  }

  async close() {
    this.#server.closeAllConnections();
    await new Promise((resolve) => {
      this.#server.close(resolve);
    });
  }

  async #answer(request, response) {
    const body = await readBody(request);
    if (request.method === "GET" && request.url.endsWith("/models")) return sendJson(response, 200, { object: "list", data: [{ id: "scripted", object: "model" }] });
    if (request.method !== "POST" || !request.url.endsWith("/chat/completions")) return sendJson(response, 404, failure(`no such address: ${request.method} ${request.url}`));
    let asked;
    try {
      asked = JSON.parse(body);
    } catch {
      return sendJson(response, 400, failure("the body is not JSON"));
    }
    // A function answers whatever comes by what it says, as a model does: a step that is asked for again gets the same answer.
    const step = typeof this.#steps === "function" ? { reply: this.#steps(asked) } : this.#steps[this.#next];
    const misfit = step === undefined ? "the scenario is over" : explainMisfit(step.when ?? {}, asked);
    this.requests.push({ at: Date.now(), step: misfit === null ? this.#next : null, origin: request.headers.origin ?? null, authorization: request.headers.authorization ?? null, body: asked });
    if (misfit !== null) {
      const problem = `request ${this.requests.length} does not fit step ${this.#next}${step?.name ? ` (${step.name})` : ""}: ${misfit}`;
      this.problems.push(problem);
      return sendJson(response, 400, failure(problem));
    }
    this.#next += 1;
    const reply = typeof step.reply === "function" ? step.reply(asked) : step.reply;
    if (reply.status !== undefined && reply.status !== 200) {
      return sendJson(response, reply.status, failure(reply.text ?? `scripted status ${reply.status}`), reply.retryAfter === undefined ? {} : { "retry-after": String(reply.retryAfter) });
    }
    return stream(response, reply, this.#gate.promise);
  }
}

/** Null where the request fits. */
export function explainMisfit(when, asked) {
  const messages = asked.messages ?? [];
  const last = messages.at(-1);
  if (when.last?.role !== undefined && last?.role !== when.last.role) return `the last message is from \`${last?.role}\`, not \`${when.last.role}\``;
  if (when.last?.text !== undefined && !fits(when.last.text, textOf(last))) return `the last message is not like ${when.last.text}: ${clip(textOf(last))}`;
  if (when.any !== undefined && !messages.some((message) => fits(when.any, textOf(message)))) return `no message is like ${when.any}`;
  for (const name of when.tools ?? []) {
    if (!(asked.tools ?? []).some((tool) => tool.function?.name === name)) return `the tool \`${name}\` is not offered`;
  }
  return null;
}

export function textOf(message) {
  const content = message?.content;
  if (typeof content === "string") return content;
  if (Array.isArray(content)) return content.map((part) => part.text ?? "").join("");
  return "";
}

function fits(pattern, text) {
  return pattern instanceof RegExp ? pattern.test(text) : text.includes(pattern);
}

function clip(text) {
  return JSON.stringify(text.length > 400 ? `${text.slice(0, 400)}…` : text);
}

function failure(message) {
  return { error: { message, type: "scripted", code: null } };
}

function sendJson(response, status, value, headers = {}) {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(value));
}

async function readBody(request) {
  const pieces = [];
  for await (const piece of request) pieces.push(piece);
  return Buffer.concat(pieces).toString("utf8");
}

/** What a reply looks like as chunks, in the order in which providers send them. */
export function chunksOf(reply) {
  const piece = reply.piece ?? 7;
  const delta = (value, finish = null) => ({ id: "chatcmpl-scripted", object: "chat.completion.chunk", created: 1, model: "scripted", choices: [{ index: 0, delta: value, finish_reason: finish }] });
  const chunks = [delta({ role: "assistant", content: "" })];
  for (const text of slices(reply.reasoning ?? "", 12)) chunks.push(delta({ reasoning_content: text }));
  for (const text of slices(reply.text ?? "", 12)) chunks.push(delta({ content: text }));
  for (const [index, call] of (reply.calls ?? []).entries()) {
    const args = typeof call.args === "string" ? call.args : JSON.stringify(call.args ?? {});
    chunks.push(delta({ tool_calls: [{ index, id: call.id ?? `call_${index}_${call.name}`, type: "function", function: { name: call.name, arguments: "" } }] }));
    for (const text of slices(args, piece)) chunks.push(delta({ tool_calls: [{ index, function: { arguments: text } }] }));
  }
  chunks.push(delta({}, reply.finish ?? ((reply.calls ?? []).length > 0 ? "tool_calls" : "stop")));
  const usage = reply.usage ?? { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };
  chunks.push({ id: "chatcmpl-scripted", object: "chat.completion.chunk", created: 1, model: "scripted", choices: [], usage });
  return chunks;
}

/** Pieces of whole code points: JSON in the middle of a character is no test of ours. */
function slices(text, length) {
  const points = [...text];
  const pieces = [];
  for (let at = 0; at < points.length; at += length) pieces.push(points.slice(at, at + length).join(""));
  return pieces;
}

async function stream(response, reply, gate) {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  response.flushHeaders();
  if (reply.delayMs) await pause(reply.delayMs);
  const chunks = chunksOf(reply);
  for (const [index, chunk] of chunks.entries()) {
    if (reply.cutAfter === index) return response.destroy();
    if (reply.hold && index === chunks.length - 2) await gate;
    if (response.destroyed) return undefined;
    response.write(`data: ${JSON.stringify(chunk)}\n\n`);
    await pause(reply.chunkMs ?? 4);
  }
  response.write("data: [DONE]\n\n");
  return response.end();
}

function pause(ms) {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
