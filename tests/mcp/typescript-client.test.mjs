// The stock TypeScript MCP client in front of `outrigger --config F mcp --workspace ID`: its default, `auto`, and pinned.
import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { hostBinary, requireFromExtension } from "../e2e/lib/places.mjs";

const { Client } = requireFromExtension("@modelcontextprotocol/client");
const { StdioClientTransport } = requireFromExtension("@modelcontextprotocol/client/stdio");

const MODES = { default: undefined, auto: { mode: "auto" }, pinned: { mode: { pin: "2026-07-28" } } };
const EDIT = { path: "greeting.txt", edits: [{ old_text: "world", new_text: "harbour" }] };

/** Connects, runs `look`, and tidies. `answer` null is a client that does not offer to ask. */
async function withClient(mode, answer, look) {
  const folder = mkdtempSync(path.join(tmpdir(), "outrigger-mcp-"));
  const workspace = path.join(folder, "workspace");
  mkdirSync(workspace);
  const file = path.join(workspace, "greeting.txt");
  writeFileSync(file, "hello\nworld\n");
  const config = path.join(folder, "config.toml");
  writeFileSync(config, `version = 1\n[[workspace]]\nid = "place"\npath = ${JSON.stringify(workspace)}\n`);
  chmodSync(config, 0o600);
  const asked = [];
  const client = new Client({ name: "stock", version: "1.0.0" }, { capabilities: answer === null ? {} : { elicitation: {} }, ...(MODES[mode] === undefined ? {} : { versionNegotiation: MODES[mode] }) });
  if (answer !== null) {
    client.setRequestHandler("elicitation/create", async (request) => {
      asked.push(request.params.message);
      return answer;
    });
  }
  const transport = new StdioClientTransport({
    command: hostBinary(),
    args: ["--config", config, "mcp", "--workspace", "place"],
    env: { PATH: process.env.PATH, HOME: folder, OUTRIGGER_STATE_DIR: path.join(folder, "state") },
    stderr: "inherit",
  });
  try {
    await client.connect(transport);
    await look({ client, asked, text: () => readFileSync(file, "utf8") });
  } finally {
    await client.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}

for (const mode of Object.keys(MODES)) {
  test(`${mode}: lists the tools and reads`, async () => {
    await withClient(mode, { action: "accept", content: { decision: "allow" } }, async ({ client, asked }) => {
      const names = (await client.listTools()).tools.map((tool) => tool.name);
      for (const name of ["workspace_info", "fs_read", "fs_list", "search_grep", "fs_edit", "git_status", "exec_run"]) assert.ok(names.includes(name), `${name} is listed`);
      const read = await client.callTool({ name: "fs_read", arguments: { path: "greeting.txt" } });
      assert.notEqual(read.isError, true);
      assert.match(read.content[0].text, /world/);
      assert.equal(read.structuredContent.ok, true);
      assert.deepEqual(asked, [], "a read asks nobody");
    });
  });

  test(`${mode}: an allowed write happens`, async () => {
    await withClient(mode, { action: "accept", content: { decision: "allow" } }, async ({ client, asked, text }) => {
      const edit = await client.callTool({ name: "fs_edit", arguments: EDIT });
      assert.notEqual(edit.isError, true, JSON.stringify(edit));
      assert.equal(text(), "hello\nharbour\n");
      assert.equal(asked.length, 1);
      assert.match(asked[0], /greeting\.txt/);
      assert.match(asked[0], /\+harbour/, "the question shows what will change");
    });
  });

  test(`${mode}: a declined write does not happen`, async () => {
    await withClient(mode, { action: "decline" }, async ({ client, asked, text }) => {
      const edit = await client.callTool({ name: "fs_edit", arguments: EDIT });
      assert.equal(edit.isError, true);
      assert.equal(edit.structuredContent.code, "approval_denied");
      assert.equal(text(), "hello\nworld\n");
      assert.equal(asked.length, 1);
    });
  });

  test(`${mode}: a client that cannot ask is refused`, async () => {
    await withClient(mode, null, async ({ client, text }) => {
      const edit = await client.callTool({ name: "fs_edit", arguments: EDIT });
      assert.equal(edit.isError, true);
      assert.equal(edit.structuredContent.code, "approval_unavailable");
      assert.equal(text(), "hello\nworld\n");
    });
  });
}
