// Rows 51, 52, 53 (user wishes 4, 6): scenarios that nobody wrote, each made from a seed, with deaths wherever something is written.
//
// Twelve, chosen because together they hold nearly all that can happen, are played each time (in a page two: their disk is no browser's
// there either). `TRIALS=1-500` plays others, and dies at every write of each; `TRIALS_SHARE=0.05` at so many of them; `TRIALS=12
// TRIALS_DEATHS='[…]'` plays one again with the deaths that a failure has named.
import { describe, expect, test } from "vitest";
import { Chance } from "../testing/trial/chance.ts";
import { judge } from "../testing/trial/judge.ts";
import { play, type Death, type Played } from "../testing/trial/trial.ts";

/** None in a page. */
const node = (globalThis as { readonly process?: NodeJS.Process }).process;
const env: Readonly<Record<string, string | undefined>> = node?.env ?? {};
const [from = 1, to = from] = (env["TRIALS"] ?? "").split("-").filter(Boolean).map(Number);
const few = [18, 20, 27, 45, 64, 66, 69, 107, 128, 140, 156, 205].slice(0, node === undefined ? 2 : undefined);
const seeds = env["TRIALS"] === undefined ? few : Array.from({ length: to - from + 1 }, (_, place) => from + place);
const share = env["TRIALS"] === undefined ? null : Number(env["TRIALS_SHARE"] ?? 1);
const wanted = env["TRIALS_DEATHS"] === undefined ? null : (JSON.parse(env["TRIALS_DEATHS"]) as readonly Death[]);

/** Of a seed: at every write, or at one of each kind; in some of them once or twice more while it recovers. */
function deathsOf({ seed, writes, disk }: Played): readonly (readonly Death[])[] {
  if (wanted !== null) return [wanted];
  const chance = new Chance(seed, "deaths");
  const again = (): Death => ({ who: chance.choose({ worker: 3, host: 1, both: 2 }), write: 1 + chance.below(8), moment: chance.choose({ before: 1, after: 1 }) });
  const row = (first: Death): readonly Death[] => [first, ...(chance.happens(0.4) ? [again()] : []), ...(chance.happens(0.1) ? [again()] : [])];
  if (share === null) {
    const kinds = Map.groupBy(disk.stored, ({ event }) => event.event.type);
    return [...kinds.values()].map((each) => row({ who: chance.choose({ worker: 5, host: 2, both: 3 }), write: each[chance.below(each.length)]?.write ?? 1, moment: chance.choose({ before: 1, after: 1 }) }));
  }
  const all = Array.from({ length: writes }, (_, place) => (["worker", "host", "both"] as const).flatMap((who) => (["before", "after"] as const).map((moment): Death => ({ who, write: place + 1, moment }))));
  return all.flat().filter(() => chance.happens(share)).map(row);
}

describe("lost 0, doubled 0, orphans 0, nothing done that was not allowed, and every scenario comes to its end", () => {
  test.each(seeds)("seed %i", async (seed) => {
    const whole = await play(seed, []);
    expect(await judge(whole)).toEqual([]);
    for (const deaths of deathsOf(whole)) {
      const played = await play(seed, deaths);
      expect(await judge(played), `TRIALS=${seed} TRIALS_DEATHS='${JSON.stringify(deaths)}'`).toEqual([]);
    }
  });
});

describe("the trials themselves", () => {
  const types = ({ disk }: Played) => disk.stored.map(({ event }) => event.event.type);

  test("a seed is one scenario, also with its deaths", async () => {
    const deaths: readonly Death[] = [{ who: "both", write: 20, moment: "after" }, { who: "worker", write: 3, moment: "before" }];
    const [first, second] = [await play(3, deaths), await play(3, deaths)];
    expect(first.died).toBe(2);
    expect(types(first)).toEqual(types(second));
    expect(types(first)).not.toEqual(types(await play(4, deaths)));
  });

  test.each<[string, (played: Played) => unknown, RegExp]>([
    ["an effect that is had twice", ({ host }) => host.effects.push(...host.effects.filter(({ isRead }) => !isRead)), /done 2 times/u],
    ["what nobody allowed", ({ person }) => (person.pressed.splice(0), person.granted.splice(0)), /nobody allowed/u],
    ["what was denied", ({ person }) => person.pressed.push(...person.pressed.map((each) => ({ ...each, decision: "deny" as const, acknowledged: true }))), /denied, and done/u],
    ["a result that is missing in a prompt", ({ provider }) => provider.requests.forEach((each) => Object.assign(each, { messages: each.messages.filter(({ role }) => role !== "tool") })), /no results of|before the results/u],
    ["words that are missing in a prompt", ({ provider }) => provider.requests.forEach((each) => Object.assign(each, { messages: each.messages.slice(0, 1) })), /is not what the log says/u],
    ["an event that is another one later", ({ disk }) => Object.assign(disk.stored[5] ?? {}, { text: "" }), /is not what was stored/u],
    ["a call that was asked for and has no result", ({ disk }) => disk.stored.splice(disk.stored.findIndex(({ event }) => event.event.type === "ToolResult"), 1), /has 0 results instead of 1/u],
    ["words that a person had been told are taken", ({ person }) => person.said.push({ tag: "never", how: "message", acknowledged: true, withdrawn: false }), /is lost/u],
    ["what hangs", (played) => Object.assign(played, { stuck: "it hangs" }), /stuck/u],
  ])("the count sees %s", async (_name, break_, expected) => {
    const played = await play(TOLD, []);
    expect(await judge(played)).toEqual([]);
    break_(played);
    expect((await judge(played)).join("\n")).toMatch(expected);
  });

  test.each<[string, (played: Played) => unknown, RegExp]>([
    ["an undo that is done by half", ({ host }) => host.undone.splice(0, host.undone.length, ...host.undone.slice(0, 1)), /those of its agent's turn/u],
    ["an undo that comes to no end", ({ disk }) => disk.stored.splice(disk.stored.findIndex(({ event }) => event.event.type === "UndoEnded"), 1), /was begun, and has no end/u],
  ])("the count sees %s", async (_name, break_, expected) => {
    const played = await play(UNDONE, []);
    expect(await judge(played)).toEqual([]);
    break_(played);
    expect((await judge(played)).join("\n")).toMatch(expected);
  });
});

/** One in which a turn is taken back for which an agent had worked. */
const UNDONE = 64;

/** A scenario in which all that is done was allowed by hand. */
const TOLD = 14;
