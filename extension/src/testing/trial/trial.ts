// One scenario, made from a seed, played to its end through the deaths that are wanted: everything in it but the engine is made up.
import type { SessionLog } from "../../agent/log.ts";
import { emptyLog, foldEvent } from "../../agent/fold.ts";
import { UNKNOWN_FACTS } from "../../llm/model-facts.ts";
import type { StoredEvent } from "../../wire/events.ts";
import { FakeWorld } from "../fake-world.ts";
import { Chance } from "./chance.ts";
import { Person, type Life } from "./person.ts";
import { Provider } from "./provider.ts";
import { START } from "./tasks.ts";
import { inVirtualTime } from "./virtual-time.ts";
import { Disk, diskOf, type Moment } from "./watched-disk.ts";
import { WatchedHost } from "./watched-host.ts";

export type Victim = "worker" | "host" | "both";

export interface Death {
  readonly who: Victim;
  /** At this write, counted from the beginning or from the death before. */
  readonly write: number;
  readonly moment: Moment;
}

export interface Played {
  readonly seed: number;
  readonly deaths: readonly Death[];
  /** Those that came to be. */
  readonly died: number;
  readonly disk: Disk;
  readonly host: WatchedHost;
  readonly provider: Provider;
  readonly person: Person;
  /** What the last engine had in memory, by session. */
  readonly memory: ReadonlyMap<string, SessionLog>;
  /** Why it did not come to an end; null: it did. */
  readonly stuck: string | null;
  /** Write by write, what it was: for words about a fault. */
  readonly writes: number;
  /** Engine starts, as counts of stored events. */
  readonly starts: readonly number[];
}

/** Nights between three deaths, and a long day's work. */
const LONGEST_MS = 72 * 60 * 60_000;

export async function play(seed: number, deaths: readonly Death[]): Promise<Played> {
  const disk = new Disk();
  const stored = () => disk.stored.length;
  const chance = new Chance(seed, "world");
  const window = chance.happens(0.35) ? 1_500 + chance.below(3_000) : null;
  const host = new WatchedHost(seed, stored, chance.happens(0.15));
  const provider = new Provider(seed, stored);
  // A fast machine answers at once, a slow one when it likes.
  const machine = new Chance(seed, "machine");
  const longest = machine.happens(0.5) ? 0 : 1 + machine.below(12);
  const slowness = () => (longest > 0 && machine.happens(0.6) ? 1 + machine.below(longest) : 0);
  Object.defineProperty(host.host, "gate", { get: () => wait(slowness()) });
  const hasHelper = new Chance(seed, "helper").happens(0.2);
  const person = new Person(seed);
  const memory = new Map<string, SessionLog>();
  const starts: number[] = [];
  let died = 0;
  let stuck: string | null = null;
  try {
    await inVirtualTime(START, LONGEST_MS, async () => {
      for (;;) {
        memory.clear();
        starts.push(stored());
        const life = new Living(disk, host, provider, deaths.slice(died), (log) => memory.set(log.session, log), { ...UNKNOWN_FACTS, window, price: () => 0.01 }, slowness, hasHelper);
        if (await life.play(person)) {
          died += life.deaths;
          return;
        }
        died += life.deaths;
        await between(host, new Chance(seed, "between", died, JSON.stringify(deaths)), deaths[died - 1]);
      }
    });
  } catch (error) {
    stuck = error instanceof Error ? (error.name === "NothingHappens" ? error.message : (error.stack ?? error.message)) : String(error);
  }
  return { seed, deaths, died, disk, host, provider, person, memory, stuck, writes: disk.writes, starts };
}

/** How long nobody is there, and what becomes of the machine meanwhile. */
async function between(host: WatchedHost, chance: Chance, death: Death | undefined): Promise<void> {
  const ms = Number(chance.choose({ "1": 5, "300": 4, "5000": 3, "1900000": 1, "46800000": 0.3 }));
  await wait(ms);
  // A file was changed meanwhile: every plan is another one.
  if (chance.happens(0.12)) host.host.salt += "x";
  if (death?.who === "both" && chance.happens(0.12)) host.host.loseJournal();
  if (chance.happens(0.05)) {
    host.host.missing = "Specified native messaging host not found.";
    setTimeout(() => (host.host.missing = null), chance.below(40_000));
  }
}

function wait(ms: number): Promise<void> {
  return ms === 0
    ? Promise.resolve()
    : new Promise((resolve) => {
        setTimeout(resolve, ms);
      });
}

/** One engine, from its start to its death or to the end of all there is to do. */
class Living implements Life {
  readonly world: FakeWorld;
  readonly died: Promise<unknown>;
  deaths = 0;
  readonly #disk: Disk;
  readonly #host: WatchedHost;
  readonly #due: Death[];
  readonly #folded = new Map<string, { readonly count: number; readonly log: SessionLog }>();
  readonly #listeners = new Set<() => void>();
  #isDead = false;
  #end: () => void = () => {};
  #writes = 0;

  constructor(disk: Disk, host: WatchedHost, provider: Provider, due: readonly Death[], remember: (log: SessionLog) => void, facts: FakeWorld["facts"], slowness: () => number, hasHelper: boolean) {
    this.#disk = disk;
    this.#host = host;
    this.#due = [...due];
    this.died = new Promise<void>((resolve) => {
      this.#end = resolve;
    });
    const storage = diskOf(disk, () => this.#isDead, (moment) => this.#onWrite(moment), slowness);
    this.world = new FakeWorld(provider.model(() => this.#isDead), host.host, storage, () => {
      for (const listener of [...this.#listeners]) listener();
    });
    this.world.facts = facts;
    // Another one does what is done beside a conversation; by its words it is the same.
    if (hasHelper) {
      this.world.models.set("helper", provider.model(() => this.#isDead));
      Object.assign(this.world.helpers, { summary: "helper", side: "helper", agent: "helper" });
    }
    this.world.onLog = (log) => !this.#isDead && remember(log);
    this.world.pages = async (url) => ({ kind: "page", contentType: "text/html", text: `<p>A page at ${url}</p>` });
    this.world.onBroken = (error) => {
      if (!this.#isDead) disk.faults.push(`a log could not be written: ${String(error)}`);
    };
  }

  /** True: it is over. False: it died. */
  async play(person: Person): Promise<boolean> {
    const ended = (async () => {
      await this.world.engine.start();
      await person.live(this);
    })();
    ended.catch(() => {});
    await Promise.race([ended, this.died]);
    return !this.#isDead;
  }

  isDead = (): boolean => this.#isDead;
  writes = (): number => this.#disk.writes;
  events = (session: string): readonly StoredEvent[] => this.#disk.eventsOf(session);
  sessions = (): readonly string[] => this.#disk.sessions;

  logOf = (session: string): SessionLog => {
    const events = this.#disk.eventsOf(session);
    const known = this.#folded.get(session);
    if (known?.count === events.length) return known.log;
    const log = events.slice(known?.count ?? 0).reduce(foldEvent, known?.log ?? emptyLog(session));
    this.#folded.set(session, { count: events.length, log });
    return log;
  };

  news = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#listeners.delete(done);
        if (!this.#isDead) resolve();
      };
      const timer = setTimeout(done, ms);
      this.#listeners.add(done);
    });

  #onWrite(moment: Moment): boolean {
    if (moment === "before") this.#writes += 1;
    const death = this.#due[0];
    if (death === undefined || this.#writes < death.write || death.moment !== moment) return this.#isDead;
    this.#due.shift();
    this.#writes = 0;
    this.deaths += 1;
    if (death.who !== "worker") this.#host.host.kill();
    if (death.who !== "host") this.#die();
    return this.#isDead;
  }

  #die(): void {
    this.#isDead = true;
    this.world.die();
    this.#end();
  }
}
