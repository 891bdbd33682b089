// The host of a trial: the fake one, with tools that write down what really happened, and when.
import { FakeHost, type FakeTool } from "../fake-host.ts";
import { Chance } from "./chance.ts";

export interface Effect {
  readonly key: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly isRead: boolean;
  readonly at: number;
  /** Events of all sessions that were stored by then. */
  readonly stored: number;
  /** The parts that were let through with it; null is all. */
  readonly hunks: readonly string[] | null;
  readonly mode: string;
}

export const TIERS: Readonly<Record<string, "auto" | "batch" | "individual">> = {
  fs_read: "auto",
  search_grep: "auto",
  fs_missing: "auto",
  fs_edit: "batch",
  fs_write: "batch",
  git_commit: "batch",
  fs_delete: "individual",
  exec_run: "individual",
  extra_1: "batch",
};

export const READS: ReadonlySet<string> = new Set(["fs_read", "search_grep", "fs_missing"]);

/** The parts of every change to a file. */
export const HUNKS: readonly string[] = ["h1", "h2"];

/** The command that the host's configuration lets run at once. */
export const AUTO_COMMAND = "lint";

export class WatchedHost {
  readonly host = new FakeHost();
  readonly effects: Effect[] = [];
  /** Of turns: what was put back and put there again, by the key of the act. */
  readonly undone: { readonly direction: "undo" | "redo"; readonly turn: string; readonly call: string }[] = [];
  readonly #undoneTurns = new Set<string>();
  readonly #undoKeys = new Map<string, Record<string, unknown>>();

  constructor(seed: number, stored: () => number, hasShelf: boolean) {
    this.host.autoCommands = [AUTO_COMMAND];
    this.host.add(...Object.entries(TIERS).filter(([name]) => hasShelf || name !== "extra_1").map(([name, tier]) => this.#tool(seed, stored, name, tier)));
    // More than a prompt should show.
    if (hasShelf) this.host.add(...Array.from({ length: 10 }, (_, place) => ({ ...this.#tool(seed, stored, `extra_${place + 2}`, "batch"), inputSchema: { type: "object", description: "x".repeat(4_000) } })));
    this.host.turns = () => [...new Set(this.undone.map(({ turn }) => turn))].map((turn) => ({ turn, state: this.#undoneTurns.has(turn) ? "undone" : "done" }));
    this.host.diff = (turn) => ({ state: this.#undoneTurns.has(turn) ? "undone" : "done", files: [{ path: `${turn}.txt`, op: "edit", added: 1, removed: 1, hunks: [] }] });
    this.host.undo = (direction, { turn, dry_run: isDry, call }) => this.#putBack(direction, turn, isDry, call ?? "");
  }

  #tool(seed: number, stored: () => number, name: string, tier: FakeTool["tier"]): FakeTool {
    const isRead = READS.has(name);
    return {
      name,
      readOnly: isRead,
      tier,
      ...(name === "extra_1" ? { inputSchema: { type: "object", description: "y".repeat(4_000) } } : {}),
      preview: (args) =>
        name === "exec_run"
          ? { kind: "command", command: String(args["command"]), program: "/usr/bin/x", args: [], workdir: ".", network: false, sandbox: "none", timeout_ms: 1_000, can_read_blocked: false }
          : { kind: "files", files: [{ path: String(args["path"] ?? ""), op: "edit", added: 2, removed: 0, hunks: HUNKS.map((id) => ({ id, old_start: 1, old_lines: 0, new_start: 1, new_lines: 1, lines: ["+x"] })) }] },
      run: async (args, run) => {
        const chance = new Chance(seed, "run", name, JSON.stringify(args));
        const took = chance.happens(0.4) ? 0 : chance.below(300);
        const isEarly = chance.happens(0.5);
        const isFailure = name === "fs_missing" || chance.happens(0.08);
        const { mode, hunks } = this.#how(run.call);
        const had = () => {
          if (!isFailure) this.effects.push({ key: run.call, tool: name, args, isRead, at: Date.now(), stored: stored(), hunks, mode });
        };
        if (isEarly) had();
        if (took > 0) await pause(took);
        if (run.cancelled.aborted) return { text: `cancelled: ${name} was ended`, isError: true, code: "cancelled" };
        if (!isEarly) had();
        if (isFailure) return { text: `not_found: ${name} ${JSON.stringify(args)}`, isError: true, code: "not_found" };
        return { text: `${name} did ${JSON.stringify(args)}` };
      },
    };
  }

  /** As the last request of the call said. */
  #how(key: string): { readonly mode: string; readonly hunks: readonly string[] | null } {
    const meta = (this.host.requests.findLast(({ params }) => (params["_meta"] as Record<string, unknown>)["dev.outrigger/call"] === key)?.params["_meta"] ?? {}) as Record<string, unknown>;
    const approval = meta["dev.outrigger/approval"] as { readonly hunks?: readonly string[] } | undefined;
    return { mode: String(meta["dev.outrigger/mode"]), hunks: approval?.hunks ?? null };
  }

  #putBack(direction: "undo" | "redo", turn: string, isDry: boolean, call: string): Record<string, unknown> {
    const known = this.#undoKeys.get(call);
    if (known !== undefined) return known;
    const isDue = this.#undoneTurns.has(turn) === (direction === "redo");
    const files = isDue ? [{ path: `${turn}.txt`, action: "restore", done: !isDry }] : [];
    const answer = { state: isDry ? "dry_run" : isDue ? "done" : "nothing", files };
    if (isDry) return answer;
    if (isDue) {
      this.undone.push({ direction, turn, call });
      if (direction === "undo") this.#undoneTurns.add(turn);
      else this.#undoneTurns.delete(turn);
    }
    this.#undoKeys.set(call, answer);
    return answer;
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
