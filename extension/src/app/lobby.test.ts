// A background that starts while the disk is full: its panels hear that, and nothing that sounds like a loss; then all is there.
import { expect, test, vi } from "vitest";
import type { StoredEvent } from "../agent/events.ts";
import { StoreShut } from "../storage/store-shut.ts";
import { Lobby } from "./lobby.ts";
import { connectPanel, type PortLike } from "./panel-client.ts";
import { PanelServer, type IntentHandlers } from "./panel-server.ts";
import type { AppView } from "./views.ts";

interface Side extends PortLike {
  emit(message: unknown): void;
}

function side(): Side {
  const messages: ((message: unknown) => void)[] = [];
  return {
    postMessage: () => {},
    disconnect: () => {},
    onMessage: { addListener: (listener) => messages.push(listener) },
    onDisconnect: { addListener: () => {} },
    emit: (message) => messages.forEach((listener) => listener(structuredClone(message))),
  };
}

const stored: StoredEvent = { session: "s", seq: 1, id: "e1", parent: null, at: 1, event: { type: "SessionStarted", config: { workspace: null, model: "demo", mode: "ask" } } };

/** As in the background: whoever comes is admitted at once, and served when the engine is there. */
function background(everyMs: number, first: unknown) {
  const lobby = new Lobby({ connection: () => ({ state: "idle" }), everyMs });
  const tries = vi.fn();
  let fault = first;
  const ready = lobby
    .until(async () => {
      tries();
      if (fault !== null) throw fault;
    })
    .then(() => new PanelServer({
      handlers: { stop: async () => null } as unknown as IntentHandlers,
      readEvents: async (_session, after) => [stored].filter(({ seq }) => seq > after),
      connection: () => ({ state: "idle" }),
      app: () => ({ memoryOnly: false }) as AppView,
      onPanel: () => () => {},
    }));
  const open = (): PortLike => {
    const [engine, panel] = [side(), side()];
    engine.postMessage = (message) => queueMicrotask(() => panel.emit(message));
    panel.postMessage = (message) => queueMicrotask(() => engine.emit(message));
    const early = lobby.admit(engine);
    void ready.then((server) => server.serve(early), () => {});
    return panel;
  };
  return { tries, ready, open, become: (next: unknown) => (fault = next) };
}

test("a panel is told why, what it asks is refused with it, and no session is called gone; with room it is served without a press", async () => {
  const { open, become } = background(20, new StoreShut(true));
  const client = connectPanel(open);
  client.subscribe("s", () => {});
  await vi.waitFor(() => expect(client.shut.get()).toMatchObject({ code: "store_full" }));
  await expect(client.send("stop", { session: "s" })).rejects.toMatchObject({ fault: { code: "store_full" } });
  // One that comes later, too.
  const later = connectPanel(open);
  await vi.waitFor(() => expect(later.shut.get()).toMatchObject({ code: "store_full" }));
  expect([client.app.get(), client.isGone("s").get(), client.session("s").get()]).toEqual([null, false, null]);
  become(null);
  await vi.waitFor(() => expect([client.shut.get(), later.shut.get()]).toEqual([null, null]));
  await vi.waitFor(() => expect(client.session("s").get()?.seq).toBe(1));
  expect(client.app.get()).toEqual({ memoryOnly: false });
  expect(await client.send("stop", { session: "s" })).toBeNull();
});

test("who asks does not wait for the next look, and is answered by the engine if there is room by then", async () => {
  const { tries, open, become } = background(60_000, new StoreShut(true));
  const client = connectPanel(open);
  await vi.waitFor(() => expect(client.shut.get()).not.toBeNull());
  expect(tries).toHaveBeenCalledTimes(1);
  become(null);
  expect(await client.send("stop", { session: "s" })).toBeNull();
  expect(tries).toHaveBeenCalledTimes(2);
});

test("a browser that has another word for it is understood; what is no full disk is no reason to wait", async () => {
  const full = background(20, Object.assign(new Error("x"), { name: "QuotaExceededError" }));
  const client = connectPanel(full.open);
  await vi.waitFor(() => expect(client.shut.get()).toMatchObject({ code: "store_full" }));
  full.become(null);
  await full.ready;
  const lobby = new Lobby({ connection: () => ({ state: "idle" }) });
  await expect(lobby.until(() => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
});
