// The official conformance suite and the inspector's command line against the built host. Both are packages of `tests/mcp`.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { hostBinary, ROOT } from "../e2e/lib/places.mjs";
import { serve } from "./bridge.mjs";

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const packages = createRequire(path.join(ROOT, "tests/mcp/package.json"));

/** The suite's fixtures, by what we have in their place. */
const TOOLS = { test_simple_text: "text.txt", test_error_handling: "missing.txt", test_image_content: "pixel.png" };
const RESOURCES = { "test://static-text": "text.txt", "test://static-binary": "pixel.png", "test://watched-resource": "text.txt" };

function translate(message) {
  const { method, params } = message;
  const file = method === "tools/call" ? TOOLS[params.name] : RESOURCES[params?.uri];
  if (file === undefined) return message;
  const ours = method === "tools/call" ? { name: "fs_read", arguments: { path: file } } : { uri: `outrigger://place/${file}` };
  return { ...message, params: { ...params, ...ours } };
}

async function withHost(look) {
  const folder = mkdtempSync(path.join(tmpdir(), "outrigger-conformance-"));
  const workspace = path.join(folder, "workspace");
  mkdirSync(workspace);
  writeFileSync(path.join(workspace, "text.txt"), "This is a simple text\n");
  writeFileSync(path.join(workspace, "pixel.png"), Buffer.from(PIXEL, "base64"));
  const config = path.join(folder, "config.toml");
  writeFileSync(config, `version = 1\n[[workspace]]\nid = "place"\npath = ${JSON.stringify(workspace)}\n`);
  chmodSync(config, 0o600);
  const env = { PATH: process.env.PATH, HOME: folder, OUTRIGGER_STATE_DIR: path.join(folder, "state") };
  try {
    await look({ folder, env, args: ["--config", config, "mcp", "--workspace", "place"] });
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}

/** Runs a program of `node`; gives its exit code and all that it said. */
async function run(script, args, env) {
  const child = spawn(process.execPath, [script, ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
  const said = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => said.push(data));
  const code = await new Promise((resolve) => child.on("close", resolve));
  return { code, text: Buffer.concat(said).toString() };
}

test("the conformance suite passes but for what is not offered", { timeout: 180_000 }, async () => {
  await withHost(async ({ env, args, folder }) => {
    const bridge = await serve(hostBinary(), args, env, translate);
    try {
      const suite = path.join(path.dirname(packages.resolve("@modelcontextprotocol/conformance/package.json")), "dist/index.js");
      const expected = path.join(ROOT, "tests/mcp/expected-failures.yml");
      const { code, text } = await run(suite, ["server", "--url", bridge.url, "--expected-failures", expected, "--output-dir", folder], process.env);
      console.log(text.slice(text.indexOf("=== SUMMARY")));
      assert.equal(code, 0, text.slice(-6000));
    } finally {
      await bridge.close();
    }
  });
});

test("the inspector lists the tools and calls one", { timeout: 60_000 }, async () => {
  await withHost(async ({ env, args }) => {
    // `--config` is a flag of the inspector, too.
    const host = { ...env, OUTRIGGER_CONFIG: args[1] };
    const variables = Object.entries(host).flatMap(([name, value]) => ["-e", `${name}=${value}`]);
    const cli = path.join(ROOT, "tests/mcp/node_modules/@modelcontextprotocol/inspector-cli/build/cli.js");
    const inspect = async (...more) => {
      const { code, text } = await run(cli, ["--cli", ...variables, hostBinary(), ...args.slice(2), ...more], { ...process.env, ...host });
      assert.equal(code, 0, text);
      return JSON.parse(text.slice(text.indexOf("{")));
    };
    const { tools } = await inspect("--method", "tools/list");
    assert.ok(tools.some((tool) => tool.name === "fs_read"));
    const read = await inspect("--method", "tools/call", "--tool-name", "fs_read", "--tool-arg", "path=text.txt");
    assert.match(read.content[0].text, /simple text/);
    assert.equal(read.structuredContent.ok, true);
  });
});
