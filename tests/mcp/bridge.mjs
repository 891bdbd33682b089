// Streamable HTTP in front of `outrigger mcp`, for test programs that speak nothing else. A session is a host process of its own.
// Listens on 127.0.0.1 alone, for as long as the test runs; the host itself never opens a port.
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { createInterface } from "node:readline";

/** A host with its open answers: `streams` by request id, `listeners` for what nobody asked for. */
class Session {
  constructor(command, args, env) {
    this.id = randomUUID();
    this.streams = new Map();
    this.listeners = new Set();
    this.child = spawn(command, args, { env, stdio: ["pipe", "pipe", "inherit"] });
    createInterface({ input: this.child.stdout }).on("line", (line) => this.take(JSON.parse(line)));
    this.child.on("exit", () => this.close());
    this.child.stdin.on("error", () => this.close());
  }

  take(message) {
    const isAnswer = message.method === undefined;
    const stream = isAnswer ? this.streams.get(key(message.id)) : undefined;
    if (stream !== undefined) {
      this.streams.delete(key(message.id));
      tell(stream, message);
      stream.end();
      return;
    }
    // What belongs to a running request goes the way of its answer; without one to those who listen.
    const targets = this.streams.size > 0 ? [[...this.streams.values()].at(-1)] : [...this.listeners];
    for (const target of targets) tell(target, message);
  }

  send(message, response) {
    if (message.method === undefined || message.id === undefined) {
      this.child.stdin.write(`${JSON.stringify(message)}\n`);
      response.writeHead(202).end();
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store", "mcp-session-id": this.id });
    this.streams.set(key(message.id), response);
    this.child.stdin.write(`${JSON.stringify(message)}\n`);
  }

  close() {
    for (const stream of [...this.streams.values(), ...this.listeners]) stream.end();
    this.streams.clear();
    this.listeners.clear();
    this.child.stdin.end();
  }
}

/** `1` and `"1"` are different ids. */
const key = (id) => JSON.stringify(id ?? null);
const tell = (stream, message) => stream.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);

/** Serves `command args` under `http://127.0.0.1:<port>/mcp`; gives the address and how to end it. `translate` may change what a client sends. */
export async function serve(command, args, env, translate = (message) => message) {
  const sessions = new Map();
  const server = createServer(async (request, response) => {
    const refuse = (status, message) => response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify({ jsonrpc: "2.0", id: null, error: { code: -32600, message } }));
    // A page in a browser that was led to a local port must get nothing.
    if (!isLocal(request.headers.host) || (request.headers.origin !== undefined && !isLocal(new URL(request.headers.origin).host))) return refuse(403, "only for programs on this machine");
    const session = sessions.get(request.headers["mcp-session-id"]);
    if (request.method === "GET") {
      if (session === undefined) return refuse(405, "no session");
      response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
      response.flushHeaders();
      session.listeners.add(response);
      response.on("close", () => session.listeners.delete(response));
      return undefined;
    }
    if (request.method === "DELETE") {
      session?.close();
      return response.writeHead(session === undefined ? 404 : 200).end();
    }
    if (request.method !== "POST") return refuse(405, "POST, GET or DELETE");
    const message = await bodyOf(request).then(translate).catch(() => undefined);
    if (message === undefined) return refuse(400, "no JSON");
    if (session !== undefined) return session.send(message, response);
    if (request.headers["mcp-session-id"] !== undefined) return refuse(404, "no such session");
    const fresh = new Session(command, args, env);
    sessions.set(fresh.id, fresh);
    return fresh.send(message, response);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/mcp`,
    async close() {
      for (const session of sessions.values()) session.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const isLocal = (host) => /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/.test(host ?? "");

async function bodyOf(request) {
  let text = "";
  for await (const piece of request) text += piece;
  return JSON.parse(text);
}
