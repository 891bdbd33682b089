// The real host's binary over real frames, with a workspace of its own: for drills only.
import { spawn, type ChildProcessByStdio } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Readable, Writable } from "node:stream";
import ids from "../../../manifests/ids.json" with { type: "json" };
import type { NativePort } from "../host/port-transport.ts";
import type { WorldHost } from "./fake-world.ts";

/** Adds a line for each run, so that a second one is seen. */
const COUNTING = `import { appendFileSync } from "node:fs"; appendFileSync("ran.log", "ran\\n"); console.log("counted");`;

export class RealHost implements WorldHost {
  readonly #home = mkdtempSync(join(tmpdir(), "outrigger-drill-"));
  readonly workspace = join(this.#home, "workspace");
  readonly #binary: string;
  /** The ends of all that were started: each has a last word for its log. */
  readonly #ending = new Set<Promise<unknown>>();
  #child: ChildProcessByStdio<Writable, Readable, null> | null = null;
  #close: (error: string | null) => void = () => {};

  constructor(binary: string) {
    this.#binary = binary;
    mkdirSync(this.workspace);
    writeFileSync(join(this.workspace, "a.txt"), "count = 0\n");
    writeFileSync(join(this.workspace, "b.txt"), "count = 0\n");
    writeFileSync(join(this.workspace, "count.mjs"), COUNTING);
    const config = `version = 1
[[workspace]]
id = "app"
path = ${JSON.stringify(this.workspace)}
[[command]]
id = "count"
program = "node"
args = ["count.mjs"]
summary = "Count a run"
[exec]
path = [${JSON.stringify(dirname(process.execPath))}]
`;
    writeFileSync(join(this.#home, "config.toml"), config);
    chmodSync(join(this.#home, "config.toml"), 0o600);
  }

  /** What the edits and the command did to the folder, as it stands. */
  get effects(): ReadonlyMap<string, number> {
    const text = (name: string) => (existsSync(join(this.workspace, name)) ? readFileSync(join(this.workspace, name), "utf8") : "");
    const counted = (name: string) => Number(/\d+/.exec(text(name))?.[0] ?? -1);
    return new Map([["edit a", counted("a.txt")], ["edit b", counted("b.txt")], ["count", text("ran.log").split("\n").length - 1]]);
  }

  /** As when somebody takes the file of its journal away. */
  loseJournal(): void {
    for (const ending of ["", "-wal", "-shm"]) rmSync(join(this.#home, "state", `journal.sqlite${ending}`), { force: true });
  }

  open(): NativePort {
    const child = spawn(this.#binary, [`chrome-extension://${ids.chromium.extension_id}/`], {
      stdio: ["pipe", "pipe", "ignore"],
      env: { ...process.env, HOME: this.#home, OUTRIGGER_CONFIG: join(this.#home, "config.toml"), OUTRIGGER_STATE_DIR: join(this.#home, "state") },
    });
    this.#child = child;
    this.#ending.add(new Promise((resolve) => child.once("exit", resolve)));
    const messages: ((message: unknown) => void)[] = [];
    const ends: ((error: string | null) => void)[] = [];
    let isOpen = true;
    const close = (error: string | null): void => {
      if (!isOpen) return;
      isOpen = false;
      child.stdin.end();
      for (const listener of ends) listener(error);
    };
    this.#close = close;
    child.stdin.on("error", () => {});
    child.once("exit", () => close("Native host has exited."));
    readFrames(child.stdout, (message) => {
      if (isOpen) for (const listener of messages) listener(message);
    });
    return {
      postMessage: (message) => void (isOpen && child.stdin.write(frameOf(message))),
      disconnect: () => {
        isOpen = false;
        child.stdin.end();
      },
      onMessage: (listener) => messages.push(listener),
      onDisconnect: (listener) => ends.push(listener),
    };
  }

  kill(): void {
    this.#child?.kill("SIGKILL");
    this.#close("Native host has exited.");
  }

  closePort(): void {
    this.#close(null);
  }

  async remove(): Promise<void> {
    this.closePort();
    await Promise.all(this.#ending);
    rmSync(this.#home, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}

function frameOf(message: unknown): Buffer {
  const body = Buffer.from(JSON.stringify(message));
  const head = Buffer.alloc(4);
  head.writeUInt32LE(body.length);
  return Buffer.concat([head, body]);
}

function readFrames(stream: Readable, take: (message: unknown) => void): void {
  let rest = Buffer.alloc(0);
  stream.on("data", (piece: Buffer) => {
    rest = Buffer.concat([rest, piece]);
    while (rest.length >= 4 && rest.length >= 4 + rest.readUInt32LE(0)) {
      const end = 4 + rest.readUInt32LE(0);
      const body = rest.subarray(4, end).toString("utf8");
      rest = rest.subarray(end);
      take(JSON.parse(body));
    }
  });
}
