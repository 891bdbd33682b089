// Row 20 (wishes 18, 19; ancestor faults 18, 20): keys sealed or not, never anywhere else; models by kind; servers that are found.
import "fake-indexeddb/auto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, test } from "vitest";
import { MemoryStorage } from "../storage/memory-storage.ts";
import { KeyVault, type SessionMemory } from "./key-vault.ts";
import { findLocalServers } from "./local-servers.ts";
import { Models } from "./models.ts";

class Memory implements SessionMemory {
  readonly values = new Map<string, unknown>();
  get = async (name: string) => this.values.get(name);
  set = async (name: string, value: unknown) => void this.values.set(name, value);
  remove = async (name: string) => void this.values.delete(name);
}

async function setUp() {
  const storage = new MemoryStorage();
  const memory = new Memory();
  const vault = new KeyVault({ storage, memory, rounds: 1_000 });
  const models = new Models({ storage, vault, newId: () => crypto.randomUUID(), isPermitted: async () => true });
  const { model } = await models.save({ id: null, kind: "anthropic", label: "A", baseUrl: "", modelName: "claude-sonnet-4", apiKey: "sk-secret-1" });
  return { storage, memory, vault, models, id: model.id };
}

describe("wish 18: keys", () => {
  test("as they are, with a plain warning, and nowhere but in their own place", async () => {
    const { storage, models, vault, id } = await setUp();
    expect(await vault.state()).toBe("plain");
    expect(await vault.read(id)).toBe("sk-secret-1");
    expect(JSON.stringify([await storage.listModels(), await models.list()])).not.toContain("sk-secret");
  });

  test("sealed with a passphrase: nothing stored says them, and a restart locks them", async () => {
    const { storage, memory, vault, models, id } = await setUp();
    expect((await vault.setPassphrase("correct horse")).message).toContain("1 key is sealed");
    expect(await storage.readKey(id)).toMatch(/^sealed:/);
    expect(await storage.readKey(id)).not.toContain("sk-secret");
    expect(await vault.read(id)).toBe("sk-secret-1");
    expect(JSON.stringify(await storage.readSetting("key_vault"))).not.toContain("horse");

    // The worker restarts: memory is still there. The browser restarts: it is not.
    expect(await new KeyVault({ storage, memory }).read(id)).toBe("sk-secret-1");
    memory.values.clear();
    const again = new KeyVault({ storage, memory, rounds: 1_000 });
    expect([await again.state(), await again.read(id)]).toEqual(["locked", "locked"]);
    await expect(models.open(id)).rejects.toMatchObject({ fault: { code: "keys_locked", retryable: false } });
    expect((await models.list()).find((model) => model.id === id)).toMatchObject({ hasKey: true, locked: true });
    await expect(models.save({ id: null, label: "B", baseUrl: "https://b.example/v1", modelName: "b", apiKey: "sk-2" })).rejects.toMatchObject({ fault: { code: "keys_locked" } });
    await expect(again.setPassphrase("another one")).rejects.toMatchObject({ fault: { code: "locked" } });

    await expect(again.unlock("correct house")).rejects.toMatchObject({ fault: { code: "wrong_passphrase" } });
    expect(await again.state()).toBe("locked");
    await again.unlock("correct horse");
    expect(await again.read(id)).toBe("sk-secret-1");
    await again.lock();
    expect(await again.read(id)).toBe("locked");
  });

  test("row 47: another passphrase seals anew; without one they are as they are; a short one is none", async () => {
    const { storage, vault, id } = await setUp();
    await expect(vault.setPassphrase("short")).rejects.toMatchObject({ fault: { code: "short_passphrase" } });
    await vault.setPassphrase("correct horse");
    const first = await storage.readKey(id);
    await vault.setPassphrase("battery staple");
    expect(await storage.readKey(id)).not.toBe(first);
    await expect(vault.unlock("correct horse")).rejects.toMatchObject({ fault: { code: "wrong_passphrase" } });
    await expect(vault.removePassphrase("correct horse")).rejects.toMatchObject({ fault: { code: "wrong_passphrase" } });
    await vault.removePassphrase("battery staple");
    expect([await vault.state(), await storage.readKey(id)]).toEqual(["plain", "sk-secret-1"]);
  });

  test("a sealed key that was changed by anyone opens to nothing, and takes nothing else with it", async () => {
    const { storage, vault, models, id } = await setUp();
    await vault.setPassphrase("correct horse");
    const sealed = (await storage.readKey(id)) ?? "";
    await storage.saveKey(id, `${sealed.slice(0, -6)}${sealed.at(-6) === "A" ? "B" : "A"}${sealed.slice(-5)}`);
    expect(await vault.read(id)).toBe("locked");
    expect((await models.list()).map((model) => model.locked ?? false)).toEqual([false, true]);
    await models.save({ id, kind: "anthropic", label: "A", baseUrl: "", modelName: "claude-sonnet-4", apiKey: "sk-new" });
    expect(await vault.read(id)).toBe("sk-new");
  });
});

describe("row 20: models", () => {
  test("each kind has its own address; rows of before there were kinds still open", async () => {
    const { storage, models } = await setUp();
    for (const [kind, address] of [["openai", "https://api.openai.com/v1"], ["google", "https://generativelanguage.googleapis.com/v1beta"], ["anthropic", "https://api.anthropic.com/v1"]] as const) {
      const { model } = await models.save({ id: null, kind, label: "", baseUrl: "", modelName: "m", apiKey: "k" });
      expect(model).toMatchObject({ kind, baseUrl: address, hasKey: true });
      expect((await models.open(model.id)).label).toBe("m");
    }
    await storage.saveModel({ id: "old", label: "Old", baseUrl: "http://127.0.0.1:11434/v1", modelName: "qwen3" });
    expect((await models.list()).find(({ id }) => id === "old")).toMatchObject({ kind: "openai_compatible", hasKey: false });
    expect((await models.open("old")).label).toBe("Old");
  });

  test("a server elsewhere is reached over https or not at all, and nothing where the browser does not let us", async () => {
    const { storage, vault } = await setUp();
    const models = new Models({ storage, vault, newId: () => "x", isPermitted: async () => false });
    for (const more of ["https://ada:secret@b.example/v1", "https://b.example/v1?key=secret", "https://b.example/v1#secret"]) {
      const refusal = await models.save({ id: null, label: "", baseUrl: more, modelName: "b", apiKey: null }).catch((error: unknown) => error);
      expect(refusal).toMatchObject({ fault: { code: "bad_address" } });
      expect(JSON.stringify(refusal)).not.toContain("secret");
    }
    await expect(models.save({ id: null, label: "", baseUrl: "http://b.example/v1", modelName: "b", apiKey: null })).rejects.toMatchObject({ fault: { code: "plain_http" } });
    const { model } = await models.save({ id: null, label: "", baseUrl: "https://b.example/v1", modelName: "b", apiKey: null });
    expect(model.permitted).toBe(false);
    await expect(models.open(model.id)).rejects.toMatchObject({ fault: { code: "origin_not_permitted" } });
    expect(await models.findLocal()).toEqual([]);
  });

  test("the browser's own model: offered where there is one, told where there is none", async () => {
    const { models } = await setUp();
    const { model } = await models.save({ id: null, kind: "browser", label: "Built in", baseUrl: "", modelName: "", apiKey: null });
    const request = { system: "be brief", messages: [{ role: "user" as const, text: "hi" }], tools: [], signal: new AbortController().signal };
    await expect(Array.fromAsync((await models.open(model.id)).stream(request))).rejects.toMatchObject({ fault: { code: "no_browser_model" } });
    const seen: unknown[] = [];
    Reflect.set(globalThis, "LanguageModel", {
      availability: async () => "available",
      create: async (options: unknown) => (seen.push(options), { promptStreaming: () => new Blob(["hello"]).stream().pipeThrough(new TextDecoderStream()), destroy: () => seen.push("gone") }),
    });
    try {
      const parts = await Array.fromAsync((await models.open(model.id)).stream(request));
      expect(parts.filter(({ type }) => type !== "accepted")).toEqual([{ type: "text", text: "hello" }, { type: "finish", reason: "stop", usage: null, providerData: null }]);
      expect(seen).toMatchObject([{ initialPrompts: [{ role: "system", content: "be brief" }] }, "gone"]);
    } finally {
      Reflect.deleteProperty(globalThis, "LanguageModel");
    }
  });

  test("a list of models is asked for where it was said, and nowhere else", async () => {
    const { models } = await setUp();
    const seen: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      seen.push(request.url);
      if (request.url === "/elsewhere/models") response.end(JSON.stringify({ data: [{ id: "m" }] }));
      else response.writeHead(307, { location: "/elsewhere/models" }).end();
    });
    await new Promise<void>((resolve) => {
      server.listen(0, "127.0.0.1", () => resolve());
    });
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await expect(models.listRemote(`${base}/v1`, "sk-1", null)).rejects.toMatchObject({ fault: { code: "redirected" } });
    expect(seen).toEqual(["/v1/models"]);
    expect(await models.listRemote(`${base}/elsewhere`, "sk-1", null)).toEqual(["m"]);
    server.close();
  });

  test("wish 19: servers on this machine are found where they answer", async () => {
    const server = createServer((_request, response) => response.end(JSON.stringify({ data: [{ id: "qwen3:8b" }] })));
    await new Promise<void>((resolve) => {
      server.listen(0, "127.0.0.1", () => resolve());
    });
    const { port } = server.address() as AddressInfo;
    const found = await findLocalServers(
      async (baseUrl, signal) => ((await (await fetch(`${baseUrl}/models`, { signal })).json()) as { data: { id: string }[] }).data.map(({ id }) => id),
      [{ name: "Ollama", port }, { name: "Nobody", port: 9 }],
    );
    server.close();
    expect(found).toEqual([{ name: "Ollama", baseUrl: `http://127.0.0.1:${port}/v1`, models: ["qwen3:8b"] }]);
  });
});
