// The connection: every state from what a host really did, and no more tries than make sense.
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { FakeHost } from "../testing/fake-host.ts";
import { Connection, type StartMemory, type StartsInVain } from "./connection.ts";
import { faultOf, faultOfDisconnect } from "./faults.ts";
import { HostClient } from "./host-client.ts";
import { LINGER_MS, LOOK_AGAIN_MS } from "./limits.ts";
import { PortTransport } from "./port-transport.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function connect(host: FakeHost, starts?: StartMemory): Connection<HostClient> {
  return new Connection<HostClient>({
    random: () => 1,
    ...(starts && { starts }),
    open: async (lost) => {
      const transport = new PortTransport({ open: () => host.open(), clientVersion: "0.0.0", extensionId: "abc" });
      return HostClient.connect(transport, "0.0.0", () => lost(transport.lost ?? faultOf("connection_lost")));
    },
  });
}

/** What outlives a background. */
class Remembered implements StartMemory {
  now: StartsInVain | null = null;
  read = async (): Promise<StartsInVain | null> => this.now;
  async write(starts: StartsInVain | null): Promise<void> {
    await Promise.resolve();
    this.now = starts;
  }
}

/** One that is not installed, and a panel that looked for it once. */
async function withoutHost(): Promise<{ readonly host: FakeHost; readonly connection: Connection<HostClient>; readonly release: () => void }> {
  const host = new FakeHost();
  host.missing = "Specified native messaging host not found.";
  const connection = connect(host);
  const release = connection.hold("panel");
  await settle();
  return { host, connection, release };
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await vi.advanceTimersByTimeAsync(1);
}

/** Answers the hello itself; null is silence. */
function answering(result: Record<string, unknown> | null): FakeHost {
  const host = new FakeHost();
  if (result !== null) host.hello = () => result;
  return host;
}

describe("rows 79, 82: the connection", () => {
  test("is idle until someone wants it, connected after a hello, idle again after a while", async () => {
    const connection = connect(new FakeHost());
    expect(connection.view.get().state).toBe("idle");
    const release = connection.hold("panel");
    expect(connection.view.get()).toEqual({ state: "connecting", attempt: 1 });
    await settle();
    expect(connection.view.get()).toMatchObject({ state: "connected", host: { version: "0.1.0", pid: 4242, protocol: 1, configPath: "config.toml" } });
    release();
    await vi.advanceTimersByTimeAsync(LINGER_MS - 1);
    expect(connection.view.get().state).toBe("connected");
    await vi.advanceTimersByTimeAsync(1);
    expect(connection.view.get().state).toBe("idle");
  });

  test("a missing host is looked for while the panel is open, without flicker, and found", async () => {
    const host = new FakeHost();
    host.missing = "Specified native messaging host not found.";
    const connection = connect(host);
    const states: string[] = [];
    connection.view.subscribe(() => states.push(connection.view.get().state));
    const release = connection.hold("panel");
    await settle();
    expect(connection.view.get()).toMatchObject({ state: "failed", fault: { reason: 1, code: "host_not_found", command: "outrigger install" } });
    await vi.advanceTimersByTimeAsync(LOOK_AGAIN_MS * 4);
    expect(host.starts).toBeGreaterThanOrEqual(4);
    expect(new Set(states.slice(1))).toEqual(new Set(["failed"]));
    host.missing = null;
    await vi.advanceTimersByTimeAsync(LOOK_AGAIN_MS + 50);
    expect(connection.view.get().state).toBe("connected");
    release();
  });

  test("a panel that is shut and opened again within moments looks for the host as before", async () => {
    const { host, connection, release } = await withoutHost();
    release();
    await vi.advanceTimersByTimeAsync(100);
    const again = connection.hold("panel");
    host.missing = null;
    await vi.advanceTimersByTimeAsync(LOOK_AGAIN_MS + 50);
    expect(connection.view.get().state).toBe("connected");
    again();
    await vi.advanceTimersByTimeAsync(LINGER_MS);
    expect(connection.view.get().state).toBe("idle");
  });

  test("one that comes back after the next try would have been looks at once", async () => {
    const { host, connection, release } = await withoutHost();
    release();
    await vi.advanceTimersByTimeAsync(LOOK_AGAIN_MS + 50);
    expect(host.starts).toBe(1);
    connection.hold("panel");
    await settle();
    expect(host.starts).toBe(2);
  });

  test("nobody looks: a missing host is not looked for", async () => {
    const host = new FakeHost();
    host.missing = "Specified native messaging host not found.";
    const connection = connect(host);
    connection.hold("turn");
    await settle();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(host.starts).toBe(1);
  });

  test("a host that dies at any moment of the handshake is never shown as connected nor as one that talks nonsense, and the next one is", async () => {
    const shown = new Set<string>();
    for (let moment = 0; moment < 40; moment += 1) {
      const host = new FakeHost();
      const connection = connect(host);
      connection.view.subscribe(() => {
        const view = connection.view.get();
        if (view.state === "failed") shown.add(view.fault.code);
      });
      connection.hold("panel");
      for (let turn = 0; turn < moment; turn += 1) await Promise.resolve();
      host.kill();
      await vi.advanceTimersByTimeAsync(1_500);
      const { client } = connection;
      expect(client, `moment ${moment}`).not.toBeNull();
      await expect(client?.listTools(), `moment ${moment}`).resolves.toEqual([]);
    }
    expect([...shown].toSorted()).toEqual(["connection_lost", "host_exited"]);
  });

  test("five hosts without a hello are enough; Retry begins again", async () => {
    const host = new FakeHost();
    host.missing = "Native host has exited.";
    const connection = connect(host);
    connection.hold("panel");
    await vi.advanceTimersByTimeAsync(600_000);
    expect(host.starts).toBe(5);
    expect(connection.view.get()).toMatchObject({ state: "failed", retryAt: null, fault: { code: "too_many_starts", command: "outrigger doctor" } });
    host.missing = null;
    connection.retry();
    await settle();
    expect(connection.view.get().state).toBe("connected");
  });

  test("the next background goes on with what the one before it counted: the browser ends an idle one while the panel is open", async () => {
    const host = new FakeHost();
    host.missing = "Native host has exited.";
    const starts = new Remembered();
    connect(host, starts).hold("panel");
    await vi.advanceTimersByTimeAsync(1_200);
    expect(host.starts).toBe(2);
    // With it go its timers.
    vi.useRealTimers();
    vi.useFakeTimers();
    const second = connect(host, starts);
    let atTheWord = 0;
    second.view.subscribe(() => {
      const view = second.view.get();
      if (view.state === "failed" && view.fault.code === "too_many_starts") atTheWord = starts.now?.count ?? 0;
    });
    second.hold("panel");
    await vi.advanceTimersByTimeAsync(600_000);
    expect(host.starts).toBe(5);
    const told = second.view.get();
    expect(atTheWord, "written before it is said").toBe(5);

    const third = connect(host, starts);
    const shown: string[] = [];
    third.view.subscribe(() => shown.push(third.view.get().state));
    third.hold("panel");
    await vi.advanceTimersByTimeAsync(600_000);
    expect(host.starts).toBe(5);
    expect(shown, "nothing is tried, and nothing flickers").toEqual(["failed"]);
    expect(third.view.get()).toEqual(told);
    await expect(third.ready(10_000)).rejects.toThrow("started five times");

    host.missing = null;
    third.retry();
    await settle();
    expect(third.view.get().state).toBe("connected");
    expect(starts.now).toBeNull();
  });

  test("Retry forgets what the background before counted, also before that was read", async () => {
    const host = new FakeHost();
    const starts = new Remembered();
    starts.now = { count: 5, detail: null };
    const connection = connect(host, starts);
    connection.hold("panel");
    connection.retry();
    await settle();
    expect(connection.view.get().state).toBe("connected");
    expect(starts.now).toBeNull();
  });

  test("a memory that cannot be read hinders nothing", async () => {
    const connection = connect(new FakeHost(), { read: () => Promise.reject(new Error("no storage")), write: async () => {} });
    connection.hold("panel");
    await settle();
    expect(connection.view.get().state).toBe("connected");
  });

  test("a host that says why it ends, and never hello, is not started for ever either", async () => {
    let starts = 0;
    const connection = new Connection<HostClient>({
      random: () => 1,
      open: async () => {
        starts += 1;
        const port = {
          postMessage: () => {},
          disconnect: () => {},
          onMessage: (listener: (message: unknown) => void) => queueMicrotask(() => listener({ jsonrpc: "2.0", method: "notifications/outrigger/bye", params: { code: 5, reason: "internal", message: "no room" } })),
          onDisconnect: (listener: (error: string | null) => void) => void setTimeout(() => listener("Native host has exited."), 5),
        };
        return HostClient.connect(new PortTransport({ open: () => port, clientVersion: "0", extensionId: "abc" }), "0", () => {});
      },
    });
    connection.hold("panel");
    await vi.advanceTimersByTimeAsync(600);
    expect(connection.view.get()).toMatchObject({ state: "failed", fault: { code: "bye_internal", detail: "no room" } });
    await vi.advanceTimersByTimeAsync(600_000);
    expect(starts).toBe(5);
    expect(connection.view.get()).toMatchObject({ state: "failed", retryAt: null, fault: { code: "too_many_starts", detail: "The host stopped because of a fault of its own. no room" } });
  });

  test("a host that dies as soon as it is connected is started more and more seldom, one that lived for a while at once", async () => {
    const host = new FakeHost();
    const connection = connect(host);
    let dies = true;
    connection.view.subscribe(() => {
      if (connection.view.get().state === "connected" && dies) setTimeout(() => host.kill(), 10);
    });
    connection.hold("panel");
    await vi.advanceTimersByTimeAsync(120_000);
    expect(host.starts).toBeGreaterThan(6);
    expect(host.starts).toBeLessThan(12);
    dies = false;
    await vi.advanceTimersByTimeAsync(60_000);
    const before = host.starts;
    host.kill();
    await vi.advanceTimersByTimeAsync(600);
    expect(host.starts).toBe(before + 1);
    expect(connection.view.get().state).toBe("connected");
  });

  test("hosts that say hello and die before they are of use are not started for ever either", async () => {
    const host = new FakeHost();
    const dieSoon = async () => {
      for (let turn = 0; turn < 6; turn += 1) await Promise.resolve();
      host.kill();
    };
    host.hello = (result) => {
      void dieSoon();
      return result;
    };
    const connection = connect(host);
    const shown = new Set<string>();
    connection.view.subscribe(() => {
      const view = connection.view.get();
      if (view.state === "failed") shown.add(view.fault.code);
    });
    connection.hold("panel");
    await vi.advanceTimersByTimeAsync(600_000);
    expect([...shown]).toEqual(["connection_lost", "too_many_starts"]);
    expect(host.starts).toBe(5);
  });

  test("a host that dies is started again, with back-off, and waiters get it", async () => {
    const host = new FakeHost();
    const connection = connect(host);
    connection.hold("panel");
    await settle();
    const before = connection.client?.instance;
    host.kill();
    await settle();
    expect(connection.view.get()).toMatchObject({ state: "failed", fault: { code: "connection_lost" } });
    const ready = connection.ready(10_000);
    await vi.advanceTimersByTimeAsync(600);
    expect((await ready).instance).not.toBe(before);
  });

  test("a host that never answers is told apart", async () => {
    const host = new FakeHost();
    host.missing = "";
    const connection = new Connection<HostClient>({
      random: () => 1,
      open: async () => {
        const silent = { postMessage: () => {}, disconnect: () => {}, onMessage: () => {}, onDisconnect: () => {} };
        return HostClient.connect(new PortTransport({ open: () => silent, clientVersion: "0", extensionId: "abc" }), "0", () => {});
      },
    });
    connection.hold("panel");
    await vi.advanceTimersByTimeAsync(10_100);
    expect(connection.view.get()).toMatchObject({ state: "failed", fault: { code: "hello_timeout", reason: 6 } });
  });

  test("a configuration that cannot be used shows file, line, column and the reason", async () => {
    const connection = connect(
      answering({
        resultType: "complete",
        host: { name: "outrigger", version: "0.1.0", build: "" },
        protocol: { min: 1, max: 1, chosen: 1 },
        pid: 1,
        instance_id: "x",
        limits: { frame_bytes: 1, chunk_bytes: 1, message_bytes: 1, open_groups: 1 },
        mcp: ["2026-07-28"],
        config: { path: "/c/config.toml", ok: false, error: { message: "unknown key `workspce`", file: "/c/config.toml", line: 3, column: 3, hint: "did you mean `workspace`?" } },
      }),
    );
    connection.hold("panel");
    await settle();
    expect(connection.view.get()).toMatchObject({
      state: "failed",
      fault: { reason: 8, code: "config_invalid", detail: "/c/config.toml:3:3: unknown key `workspce`", hint: "did you mean `workspace`?", command: "outrigger config check" },
    });
  });

  test("what is no hello is told as such, not believed", async () => {
    const connection = connect(answering({ resultType: "complete", pid: "many" }));
    connection.hold("panel");
    await settle();
    expect(connection.view.get()).toMatchObject({ state: "failed", fault: { code: "host_garbled" } });
  });

  test("no common version says who speaks what, and waits for a person", async () => {
    const host = new FakeHost();
    const connection = new Connection<HostClient>({
      open: async () => {
        let listen: (message: unknown) => void = () => {};
        const port = {
          postMessage: () => queueMicrotask(() => listen({ jsonrpc: "2.0", id: "hello", error: { code: -32_050, message: "version_skew", data: { host: { min: 2, max: 3 }, client: { min: 1, max: 1 }, hint: "Update the extension." } } })),
          disconnect: () => {},
          onMessage: (listener: typeof listen) => (listen = listener),
          onDisconnect: () => {},
        };
        return HostClient.connect(new PortTransport({ open: () => port, clientVersion: "0", extensionId: "abc" }), "0", () => {});
      },
    });
    connection.hold("panel");
    await settle();
    expect(host.starts).toBe(0);
    expect(connection.view.get()).toMatchObject({ state: "failed", retryAt: null, fault: { code: "version_skew", message: "The host speaks protocol 2 to 3, this extension 1.", hint: "Update the extension." } });
  });

  test("a bye tells the reason of the end", async () => {
    const host = new FakeHost();
    const connection = connect(host);
    connection.hold("panel");
    await settle();
    host.send({ jsonrpc: "2.0", method: "notifications/outrigger/bye", params: { code: 4, reason: "terminated", message: "SIGTERM" } });
    await settle();
    host.kill();
    await settle();
    expect(connection.view.get()).toMatchObject({ state: "failed", fault: { code: "bye_terminated", reason: 14, detail: "SIGTERM" } });
  });
});

describe("the browsers' own words", () => {
  test.each<[string | null, string, string | null]>([
    ["Specified native messaging host not found.", "host_not_found", "outrigger install"],
    ["No such native application dev.outrigger.host", "host_not_found", "outrigger install"],
    ["Access to the specified native messaging host is forbidden.", "access_forbidden", "outrigger install --extension-id abc"],
    ["An unexpected error occurred", "host_unstartable", "outrigger install"],
    ["Native host has exited.", "host_exited", "outrigger doctor"],
    [null, "host_exited", "outrigger doctor"],
    ["Error when communicating with the native messaging host.", "host_garbled", "outrigger doctor"],
    ["Native application tried to send a message of 9999999 bytes, which exceeds the limit of 1048576 bytes.", "host_garbled", "outrigger doctor"],
    ["Something new", "unknown", "outrigger doctor"],
  ])("%s", (text, code, command) => {
    expect(faultOfDisconnect(text, "abc")).toMatchObject({ code, command, detail: text });
  });
});
