// Panel and engine over a port that closes: snapshot, then tail, with nothing missing and nothing twice.
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { AgentEvent, StoredEvent } from "../agent/events.ts";
import type { SessionView } from "../agent/session-view.ts";
import { bufferPort } from "./buffer-port.ts";
import { IntentFault } from "./intent-fault.ts";
import { connectPanel, type PortLike } from "./panel-client.ts";
import { PanelServer, type IntentHandlers } from "./panel-server.ts";
import type { AppView, ConnectionView } from "./views.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

interface Side extends PortLike {
  emit(message: unknown): void;
  end(): void;
}

function side(): Side {
  const messages: ((message: unknown) => void)[] = [];
  const ends: (() => void)[] = [];
  return {
    postMessage: () => {},
    disconnect: () => {},
    onMessage: { addListener: (listener) => messages.push(listener) },
    onDisconnect: { addListener: (listener) => ends.push(listener) },
    emit: (message) => messages.forEach((listener) => listener(structuredClone(message))),
    end: () => ends.forEach((listener) => listener()),
  };
}

class World {
  readonly log: StoredEvent[] = [];
  readonly calls: unknown[] = [];
  panels = 0;
  /** So often the store cannot be read. */
  unreadable = 0;
  server = this.#newServer();
  #engineSide: Side | null = null;
  #panelSide: Side | null = null;

  #newServer(): PanelServer {
    const handlers = {
      stop: async (params: unknown) => (this.calls.push(params), null),
      resume: async () => {
        throw new IntentFault({ code: "busy", message: "busy", hint: "wait", retryable: true });
      },
    } as unknown as IntentHandlers;
    return new PanelServer({
      handlers,
      readEvents: async (_session, after) => {
        if (this.unreadable > 0) {
          this.unreadable -= 1;
          throw new DOMException("The database is closed.", "DatabaseClosedError");
        }
        return this.log.filter(({ seq }) => seq > after);
      },
      connection: (): ConnectionView => ({ state: "idle" }),
      app: (): AppView | null => null,
      onPanel: () => {
        this.panels += 1;
        return () => (this.panels -= 1);
      },
    });
  }

  readonly open = (): PortLike => {
    const engine = side();
    const panel = side();
    engine.postMessage = (message) => queueMicrotask(() => panel.emit(message));
    panel.postMessage = (message) => queueMicrotask(() => engine.emit(message));
    panel.disconnect = () => engine.end();
    this.#engineSide = engine;
    this.#panelSide = panel;
    // As in the background: the engine may need a while before it listens.
    const early = bufferPort(engine);
    setTimeout(() => this.server.serve(early), 5);
    return panel;
  };

  /** As when the browser stops the worker. */
  restart(): void {
    this.server = this.#newServer();
    this.#engineSide?.end();
    this.#panelSide?.end();
  }

  add(...events: readonly AgentEvent[]): void {
    const stored = events.map((event): StoredEvent => {
      const seq = this.log.length + 1;
      const made = { session: "s", seq, id: `e${seq}`, parent: null, at: seq, event };
      this.log.push(made);
      return made;
    });
    this.server.pushEvents("s", stored);
  }
}

const started: AgentEvent = { type: "SessionStarted", config: { workspace: null, model: "demo", mode: "ask" } };
const message: AgentEvent = { type: "UserMessage", message: "m", text: "hello" };
const title = (text: string): AgentEvent => ({ type: "TitleSet", title: text, by: "user" });

async function settle(ms = 20): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms);
}

describe("row 57, ancestor fault 6: a panel", () => {
  test("gets the session, then each change, once", async () => {
    const world = new World();
    world.add(started, message);
    const client = connectPanel(world.open);
    const seen: (SessionView | null)[] = [];
    client.subscribe("s", (view) => seen.push(view));
    await settle();
    expect(seen.map((view) => view?.title)).toEqual(["hello"]);
    world.add(title("one"));
    world.add(title("two"));
    await settle();
    expect(seen.map((view) => view?.title)).toEqual(["hello", "one", "two"]);
  });

  test("a store that cannot be read at once is read a moment later, and nothing that came meanwhile is missing", async () => {
    const world = new World();
    world.add(started, message);
    world.unreadable = 2;
    const client = connectPanel(world.open);
    const seen: (SessionView | null)[] = [];
    client.subscribe("s", (view) => seen.push(view));
    await settle();
    expect(seen).toEqual([]);
    world.add(title("one"));
    await settle(3_000);
    expect(seen.at(-1)?.title).toBe("one");
    client.close();
  });

  test("goes on after the worker died, from the last event it has", async () => {
    const world = new World();
    world.add(started, message);
    const client = connectPanel(world.open);
    const seen: (string | undefined)[] = [];
    client.subscribe("s", (view) => seen.push(view?.title));
    await settle();
    world.restart();
    world.add(title("while away"));
    await settle(400);
    world.add(title("live again"));
    await settle();
    expect(seen).toEqual(["hello", "while away", "live again"]);
    expect(client.session("s").get()?.seq).toBe(4);
  });

  test("of a session that is not there it hears so; it comes when it is begun, goes when it is deleted, and is back when that is taken back", async () => {
    const world = new World();
    const client = connectPanel(world.open);
    const gone = client.isGone("s");
    client.subscribe("s", () => {});
    const seen = () => [gone.get(), client.session("s").get()?.title];
    expect(seen()).toEqual([false, undefined]);
    await settle();
    expect(seen()).toEqual([true, undefined]);
    world.add(started, message);
    await settle();
    expect(seen()).toEqual([false, "hello"]);
    world.server.pushGone("s");
    await settle();
    expect(seen()).toEqual([true, undefined]);
    world.server.pushBack("s");
    await settle();
    expect(seen()).toEqual([false, "hello"]);
    // Deleted while the worker was away.
    world.log.length = 0;
    world.restart();
    await settle(400);
    expect(seen()).toEqual([true, undefined]);
  });

  test("one panel turns to a session: the one that is seen in the person's window", async () => {
    const world = new World();
    const turned: string[] = [];
    const open = (name: string, window: number, isVisible: boolean) => {
      const client = connectPanel(world.open);
      client.window = async () => window;
      client.onShow((session) => turned.push(`${name} ${session}`));
      client.look({ session: null, isVisible });
      return client;
    };
    expect(world.server.show("s", 1)).toBe(false);
    const behind = open("behind", 1, false);
    const elsewhere = open("elsewhere", 2, true);
    const here = open("here", 1, true);
    for (const client of [here, elsewhere, behind]) {
      await settle();
      expect(world.server.show("s", 1)).toBe(true);
      await settle();
      client.close();
    }
    expect(turned).toEqual(["here s", "elsewhere s", "behind s"]);
  });

  test("an intent that was sent when the worker died is told as unknown, and never sent twice", async () => {
    const world = new World();
    const client = connectPanel(world.open);
    await settle();
    const answer = client.send("stop", { session: "s" });
    world.restart();
    await expect(answer).rejects.toMatchObject({ fault: { code: "engine_restarted" } });
    await settle(400);
    await client.send("stop", { session: "s" });
    expect(world.calls.length).toBeLessThanOrEqual(2);
  });

  test("an intent that could not be sent is sent when there is a port again", async () => {
    const world = new World();
    const client = connectPanel(world.open);
    await settle();
    world.restart();
    const answer = client.send("stop", { session: "s" });
    await settle(400);
    await expect(answer).resolves.toBeNull();
    expect(world.calls).toEqual([{ session: "s" }]);
  });

  test("a refusal comes as words; what is no intent is refused", async () => {
    const world = new World();
    const client = connectPanel(world.open);
    await settle();
    const refused = expect(client.send("resume", { session: "s" })).rejects.toMatchObject({ fault: { code: "busy", hint: "wait" } });
    const unknown = expect(client.send("constructor" as "stop", { session: "s" })).rejects.toMatchObject({ fault: { code: "unknown_intent" } });
    await settle();
    await refused;
    await unknown;
  });

  test("a long log comes in slices, without the deltas that its ends make needless", async () => {
    const world = new World();
    world.add(started, message);
    world.add({ type: "TurnStart", turn: "m", message: "m", config: { workspace: null, model: "demo", mode: "ask" }, modelLabel: "x" });
    world.add({ type: "StepStart", turn: "m", step: "m.1", index: 0, attempt: 1 });
    for (let place = 0; place < 1_500; place += 1) world.add({ type: "AssistantDelta", step: "m.1", text: "x" });
    world.add({ type: "AssistantDone", step: "m.1", text: "whole", reasoning: "", finish: "stop", usage: null });
    for (let place = 0; place < 1_200; place += 1) world.add(title(`${place}`));
    const client = connectPanel(world.open);
    let pictures = 0;
    client.subscribe("s", () => (pictures += 1));
    await settle(50);
    expect(client.session("s").get()).toMatchObject({ title: "1199", seq: world.log.length });
    expect(client.session("s").get()?.turns[0]?.steps[0]?.text).toBe("whole");
    expect(pictures).toBe(1);
  });

  test("closing one lets the engine know", async () => {
    const world = new World();
    const client = connectPanel(world.open);
    await settle();
    expect(world.panels).toBe(1);
    client.close();
    expect(world.panels).toBe(0);
  });
});
