// The example of docs/extension-authors.md, as it stands there, in front of the real host.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { hostBinary } from "../e2e/lib/places.mjs";

const ORIGIN = "chrome-extension://abcdefghijklmnopabcdefghijklmnop/";
const page = readFileSync(fileURLToPath(new URL("../../docs/extension-authors.md", import.meta.url)), "utf8");
const example = /<!-- example -->\n```js\n([\s\S]*?)```/.exec(page)[1];
const { connect } = await import(`data:text/javascript,${encodeURIComponent(example)}`);

/** What a browser gives an extension: a port, over frames. */
function openPort(folder, allowed = true) {
  const config = path.join(folder, "config.toml");
  const workspace = path.join(folder, "workspace");
  mkdirSync(workspace, { recursive: true });
  writeFileSync(path.join(workspace, "large.txt"), "0123456789 \u{1f980}\n".repeat(60_000));
  const allow = allowed ? `[extensions]\nallow = ["${ORIGIN}"]\n` : "";
  writeFileSync(config, `version = 1\n[[workspace]]\nid = "place"\npath = ${JSON.stringify(workspace)}\n${allow}`);
  chmodSync(config, 0o600);
  const environment = { ...process.env, OUTRIGGER_CONFIG: config, OUTRIGGER_STATE_DIR: path.join(folder, "state") };
  const child = spawn(hostBinary(), [ORIGIN], { env: environment, stdio: ["pipe", "pipe", "inherit"] });
  const listeners = { message: [], disconnect: [] };
  let rest = Buffer.alloc(0);
  child.stdout.on("data", (bytes) => {
    rest = Buffer.concat([rest, bytes]);
    while (rest.length >= 4 && rest.length >= 4 + rest.readUInt32LE(0)) {
      const end = 4 + rest.readUInt32LE(0);
      const message = JSON.parse(rest.subarray(4, end).toString("utf8"));
      rest = rest.subarray(end);
      for (const listener of listeners.message) listener(message);
    }
  });
  child.stdout.on("end", () => listeners.disconnect.forEach((listener) => listener()));
  child.stdin.on("error", () => {});
  return {
    onMessage: { addListener: (listener) => listeners.message.push(listener) },
    onDisconnect: { addListener: (listener) => listeners.disconnect.push(listener) },
    postMessage(message) {
      const body = Buffer.from(JSON.stringify(message));
      const header = Buffer.alloc(4);
      header.writeUInt32LE(body.length);
      child.stdin.write(Buffer.concat([header, body]));
    },
    disconnect: () => child.stdin.end(),
  };
}

async function inFolder(look) {
  const folder = mkdtempSync(path.join(tmpdir(), "outrigger-author-"));
  try {
    await look(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

test("the example is thirty lines", () => {
  assert.ok(example.trim().split("\n").length <= 36, example);
});

test("an extension that was let in lists the tools and reads", () =>
  inFolder(async (folder) => {
    const port = openPort(folder);
    const request = connect(port);
    const hello = await request("outrigger/hello", { client: { name: "example", version: "1" }, protocol: { min: 1, max: 1 } });
    assert.equal(hello.caller.extension, ORIGIN);
    const { tools } = await request("tools/list");
    assert.ok(tools.some((tool) => tool.name === "fs_read"));
    const read = await request("tools/call", { name: "fs_read", arguments: { path: "large.txt", limit: 1_000_000, max_bytes: 8_000_000 } });
    assert.ok(read.content[0].text.length > 500_000, "a large answer is joined");
    await assert.rejects(request("no/such/method"), /no\/such\/method|method/i);
    port.disconnect();
  }));

test("one that was not let in hears nothing but the end", () =>
  inFolder(async (folder) => {
    const request = connect(openPort(folder, false));
    await assert.rejects(request("outrigger/hello", { protocol: { min: 1, max: 1 } }), /has gone/);
  }));
