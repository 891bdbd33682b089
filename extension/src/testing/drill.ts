// A session that is killed at one event and gone on with: for drills only.
//
// A drill is run for every event of a scripted session. What must hold is counted, not looked at: no call lost, none done
// twice, none without its one result, in what the provider sees and in what the host really did.
import type { StoredEvent } from "../agent/events.ts";
import type { SessionLog } from "../agent/log.ts";
import type { ModelFacts } from "../llm/model-facts.ts";
import { MemoryStorage } from "../storage/memory-storage.ts";
import type { FakeHost } from "./fake-host.ts";
import { FakeWorld, type WorldHost } from "./fake-world.ts";
import { MortalStorage, type Death } from "./mortal-storage.ts";
import { countCalls, type ProviderCount } from "./provider-count.ts";
import type { ScriptedModel } from "./scripted-model.ts";

export interface Scenario<Host extends WorldHost = FakeHost> {
  readonly model: () => ScriptedModel;
  readonly host: () => Host;
  readonly task: string;
  /** Plays the person until the session is done. */
  readonly finish: (world: FakeWorld<Host>, session: string) => Promise<SessionLog>;
  /** Prompts keep growing: nothing is compacted. */
  readonly isSameTalk: boolean;
  /** What is known of the model; left out, nothing. */
  readonly facts?: ModelFacts;
}

export interface DrillResult<Host extends WorldHost = FakeHost> {
  readonly log: SessionLog;
  readonly events: readonly StoredEvent[];
  readonly count: ProviderCount;
  readonly host: Host;
  readonly died: boolean;
}

/** How many events the scenario has when nothing goes wrong, over all its sessions. */
export async function rehearse<Host extends WorldHost>(scenario: Scenario<Host>): Promise<DrillResult<Host>> {
  return drill(scenario, Number.POSITIVE_INFINITY, "after");
}

/** The engine dies at this event, and the next engine goes on. */
export async function drill<Host extends WorldHost>(scenario: Scenario<Host>, at: number, death: Death): Promise<DrillResult<Host>> {
  const inner = new MemoryStorage();
  const host = scenario.host();
  const models = [scenario.model()];
  let died: () => void = () => {};
  const end = new Promise<"died">((resolve) => {
    died = () => resolve("died");
  });
  const mortal = new MortalStorage(inner, at, death, () => {
    first.die();
    died();
  });
  const first: FakeWorld<Host> = new FakeWorld(models[0] ?? scenario.model(), host, mortal.storage);
  if (scenario.facts !== undefined) first.facts = scenario.facts;
  const life = (async () => {
    const session = await first.engine.startSession(scenario.task);
    return scenario.finish(first, session);
  })();
  const outcome = await Promise.race([end, life]);
  if (outcome !== "died") return result(inner, outcome, models, host, scenario, false);
  life.catch(() => {});

  const session = (await inner.listSessions()).map(({ id }) => id).toSorted()[0];
  const model = scenario.model();
  models.push(model);
  const second = new FakeWorld(model, host, inner);
  if (scenario.facts !== undefined) second.facts = scenario.facts;
  await second.engine.start();
  // Died before the first event: the person never saw a session, and asks again.
  const again = session ?? (await second.engine.startSession(scenario.task));
  return result(inner, await scenario.finish(second, again), models, host, scenario, true);
}

/** The host's process dies at this event; the engine lives. */
export async function drillHost<Host extends WorldHost>(scenario: Scenario<Host>, at: number): Promise<DrillResult<Host>> {
  const storage = new MemoryStorage();
  const host = scenario.host();
  const model = scenario.model();
  let isDue = true;
  const world: FakeWorld<Host> = new FakeWorld(model, host, storage, (written) => {
    if (written < at || !isDue) return;
    isDue = false;
    host.kill();
  });
  const session = await world.engine.startSession(scenario.task);
  return result(storage, await scenario.finish(world, session), [model], host, scenario, !isDue);
}

async function result<Host extends WorldHost>(storage: MemoryStorage, log: SessionLog, models: readonly ScriptedModel[], host: Host, scenario: Scenario<Host>, died: boolean): Promise<DrillResult<Host>> {
  const events: StoredEvent[] = [];
  for (const { id } of await storage.listSessions()) events.push(...(await storage.readEvents(id, 0)));
  // Each session talks for itself.
  const talks = Map.groupBy(models.flatMap(({ requests }) => requests), ({ messages }) => (messages[0]?.role === "user" ? messages[0].text : ""));
  const counts = [...talks.values()].map((requests) => countCalls(requests, scenario.isSameTalk));
  const sum = (name: keyof ProviderCount) => counts.reduce((total, count) => total + count[name], 0);
  return { log, events, count: { lost: sum("lost"), doubled: sum("doubled"), orphans: sum("orphans") }, host, died };
}

/** Whatever is wrong with a drill's end, in words; nothing where every promise was kept. */
export function faultsOf({ log, events, count, host }: DrillResult<WorldHost>): readonly string[] {
  const faults: string[] = [];
  for (const [name, number] of Object.entries(count)) if (number !== 0) faults.push(`${number} ${name} in what the provider sees`);
  const outcome = log.turns.at(-1)?.outcome;
  if (outcome !== "complete") faults.push(`the turn ended as ${outcome ?? "nothing"}: ${log.turns.at(-1)?.fault?.message ?? ""}`);
  const sealed = new Set(events.flatMap(({ event }) => (event.type === "AssistantDone" ? [event.step] : [])));
  const results = Map.groupBy(events.flatMap(({ event }) => (event.type === "ToolResult" ? [event.call] : [])), (call) => call);
  for (const { event } of events) {
    if (event.type !== "ToolRequested") continue;
    const due = sealed.has(event.step) ? 1 : 0;
    const found = results.get(event.call)?.length ?? 0;
    if (found !== due) faults.push(`${event.tool} ${event.argsText} has ${found} results instead of ${due}`);
  }
  for (const [what, times] of host.effects) if (times > 1) faults.push(`${what} was done ${times} times`);
  return faults;
}
