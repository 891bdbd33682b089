// The scripted model server itself: what it streams is what a provider streams, and a stray request is told so.
import assert from "node:assert/strict";
import { test } from "node:test";
import { chunksOf, explainMisfit, ModelServer } from "./model-server.mjs";

async function ask(server, messages, tools = []) {
  return fetch(`${server.baseUrl}/chat/completions`, { method: "POST", body: JSON.stringify({ model: "scripted", stream: true, messages, tools }) });
}

function joined(body) {
  const chunks = body.split("\n\n").filter((line) => line.startsWith("data: {")).map((line) => JSON.parse(line.slice(6)));
  const calls = [];
  let text = "";
  for (const chunk of chunks) {
    const delta = chunk.choices[0]?.delta ?? {};
    text += delta.content ?? "";
    for (const part of delta.tool_calls ?? []) {
      calls[part.index] ??= { id: part.id, name: part.function.name, args: "" };
      calls[part.index].args += part.function.arguments;
    }
  }
  return { text, calls, finish: chunks.map((chunk) => chunk.choices[0]?.finish_reason).find(Boolean) };
}

test("text and calls arrive in pieces that join to the scripted reply", async () => {
  const server = await ModelServer.start([{ reply: { text: "Ich schaue nach: größer.", calls: [{ id: "c1", name: "fs_read", args: { path: "äöü/→.js" } }, { id: "c2", name: "git_status", args: {} }] } }]);
  try {
    const response = await ask(server, [{ role: "user", content: "hello" }]);
    const body = await response.text();
    assert.ok(body.endsWith("data: [DONE]\n\n"));
    assert.deepEqual(joined(body), {
      text: "Ich schaue nach: größer.",
      calls: [
        { id: "c1", name: "fs_read", args: '{"path":"äöü/→.js"}' },
        { id: "c2", name: "git_status", args: "{}" },
      ],
      finish: "tool_calls",
    });
    assert.ok(chunksOf({ calls: [{ name: "fs_read", args: { path: "a-long-enough-path.js" } }] }).length > 5, "arguments come in several pieces");
    assert.equal(server.requests[0].body.messages[0].content, "hello");
    assert.ok(server.finished);
  } finally {
    await server.close();
  }
});

test("a request that fits no step is refused with the reason", async () => {
  const server = await ModelServer.start([{ when: { last: { role: "tool", text: /12 matches/ } }, reply: { text: "never" } }]);
  try {
    const response = await ask(server, [{ role: "tool", content: "no matches" }]);
    assert.equal(response.status, 400);
    assert.match((await response.json()).error.message, /step 0.*12 matches.*no matches/s);
    assert.equal(server.problems.length, 1);
    assert.equal(server.answered, 0, "the step is still open");
  } finally {
    await server.close();
  }
});

test("status 429 carries Retry-After, and a cut stream ends without DONE", async () => {
  const server = await ModelServer.start([{ reply: { status: 429, retryAfter: 1 } }, { reply: { text: "one two three four five six seven eight", cutAfter: 3 } }]);
  try {
    const refused = await ask(server, []);
    assert.equal(refused.status, 429);
    assert.equal(refused.headers.get("retry-after"), "1");
    const cut = await ask(server, []);
    await assert.rejects(cut.text());
  } finally {
    await server.close();
  }
});

test("conditions name what is missing", () => {
  const asked = { messages: [{ role: "user", content: [{ type: "text", text: "fix it" }] }], tools: [{ function: { name: "fs_read" } }] };
  assert.equal(explainMisfit({ last: { role: "user", text: "fix" }, tools: ["fs_read"] }, asked), null);
  assert.match(explainMisfit({ tools: ["exec_run"] }, asked), /exec_run/);
  assert.match(explainMisfit({ any: /else/ }, asked), /no message/);
});
