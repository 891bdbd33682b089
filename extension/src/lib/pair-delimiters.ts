// Pairs the delimiters of emphasis and strikethrough, in time that grows with the text.
//
// The parser's own way looks from each closing delimiter back through all that stands before it, and resolves anew what a pair has
// between its ends: 20 000 characters that somebody made for it take seconds. This one finds the same pairs, in the same order, by a
// stack of those that are still open. What would take more steps than a text that is meant to be read ever does stays as it was written.
import { attention } from "micromark-core-commonmark";
import { gfmStrikethrough } from "micromark-extension-gfm-strikethrough";

type Resolve = NonNullable<typeof attention.resolveAll>;
type Event = Parameters<Resolve>[0][number];
type Context = Parameters<Resolve>[1];
type Token = Event[1];

/** For each event of a text: an ordinary one takes two or three, with spans in spans some more. */
const STEPS_PER_EVENT = 12;

/** A short text may nest a few dozen deep. */
const STEPS_AT_LEAST = 5_000;

interface Kind {
  readonly type: Token["type"];
  /** Only delimiters of the same key can be a pair. */
  key(token: Token, context: Context): number;
  fits(opener: Token, closer: Token): boolean;
  /** What stands around the inner events; what is left of both ends is as long as they are then. */
  pair(opener: Token, closer: Token, context: Context): { readonly before: readonly Event[]; readonly after: readonly Event[] };
  isUsedUp(token: Token): boolean;
}

interface Opener {
  /** Of its exit, among the events that are done. */
  readonly place: number;
  readonly token: Token;
}

/** In place of the parser's own two. `onSteps` is told what each text took. */
export function pairDelimiters(onSteps: (steps: number) => void = () => {}) {
  const emphasis = { ...attention, name: "emphasis", resolveAll: resolver(EMPHASIS, onSteps) };
  const strikethrough = { ...(gfmStrikethrough().text?.[126] as typeof attention), name: "strike", resolveAll: resolver(STRIKETHROUGH, onSteps) };
  return {
    disable: { null: ["attention", "strikethrough"] },
    text: { 42: emphasis, 95: emphasis, 126: strikethrough },
    insideSpan: { null: [strikethrough, emphasis] },
  };
}

function resolver(kind: Kind, onSteps: (steps: number) => void): Resolve {
  return (events, context) => {
    const allowed = STEPS_AT_LEAST + STEPS_PER_EVENT * events.length;
    const done: Event[] = [];
    const open = new Map<number, Opener[]>();
    let steps = 0;
    for (let at = 0; at < events.length; at += 1) {
      const event = events[at] as Event;
      const [step, closer] = event;
      done.push(event);
      // A delimiter is left where it ends: then it is among those that are done.
      if (closer.type !== kind.type || step !== "exit") continue;
      const key = kind.key(closer, context);
      const openers = open.get(key) ?? [];
      open.set(key, openers);
      while (closer._close === true && !kind.isUsedUp(closer)) {
        let found = openers.length - 1;
        while (found >= 0 && steps < allowed && !kind.fits((openers[found] as Opener).token, closer)) {
          found -= 1;
          steps += 1;
        }
        const opener = openers[found];
        if (opener === undefined || steps >= allowed) break;
        done.length -= 2;
        const inner = done.splice(opener.place + 1);
        steps += 1 + inner.length;
        done.length = opener.place - 1;
        const { before, after } = kind.pair(opener.token, closer, context);
        // What had not found its other end between the two never will.
        for (const each of open.values()) while ((each.at(-1)?.place ?? -1) > opener.place) each.pop();
        if (kind.isUsedUp(opener.token)) openers.pop();
        else done.push(["enter", opener.token, context], ["exit", opener.token, context]);
        for (const each of [before, resolveInner(inner, context), after]) for (const next of each) done.push(next);
        if (!kind.isUsedUp(closer)) done.push(["enter", closer, context], ["exit", closer, context]);
      }
      if (closer._open === true && !kind.isUsedUp(closer)) openers.push({ place: done.length - 1, token: closer });
    }
    for (const [, token] of done) if (token.type === kind.type) token.type = "data";
    onSteps(steps + events.length);
    // The parser has this very list in its hand.
    events.length = 0;
    for (const event of done) events.push(event);
    return events;
  };
}

function resolveInner(events: Event[], context: Context): Event[] {
  const resolvers = new Set((context.parser.constructs.insideSpan.null ?? []).flatMap(({ resolveAll }) => resolveAll ?? []));
  return [...resolvers].reduce((inner, resolve) => resolve(inner, context), events);
}

const EMPHASIS: Kind = {
  type: "attentionSequence",
  key: (token, context) => context.sliceSerialize(token).charCodeAt(0),
  isUsedUp: (token) => lengthOf(token) === 0,
  /** What could open as well as close is no pair where that would be ambiguous: CommonMark's rule of three. */
  fits: (opener, closer) => !((opener._close === true || closer._open === true) && lengthOf(closer) % 3 !== 0 && (lengthOf(opener) + lengthOf(closer)) % 3 === 0),
  pair: (opener, closer, context) => {
    const use = lengthOf(opener) > 1 && lengthOf(closer) > 1 ? 2 : 1;
    const name = use === 2 ? "strong" : "emphasis";
    const start = moved(opener.end, -use);
    const end = moved(closer.start, use);
    const group: Token = { type: name, start: { ...start }, end: { ...end } };
    const opening: Token = { type: `${name}Sequence`, start, end: { ...opener.end } };
    const text: Token = { type: `${name}Text`, start: { ...opener.end }, end: { ...closer.start } };
    const closing: Token = { type: `${name}Sequence`, start: { ...closer.start }, end };
    opener.end = { ...start };
    closer.start = { ...end };
    return around(group, opening, text, closing, context);
  },
};

const STRIKETHROUGH: Kind = {
  type: "strikethroughSequenceTemporary",
  key: lengthOf,
  fits: () => true,
  isUsedUp: (token) => token.type === "strikethroughSequence",
  pair: (opener, closer, context) => {
    opener.type = "strikethroughSequence";
    closer.type = "strikethroughSequence";
    const group: Token = { type: "strikethrough", start: { ...opener.start }, end: { ...closer.end } };
    const text: Token = { type: "strikethroughText", start: { ...opener.end }, end: { ...closer.start } };
    return around(group, opener, text, closer, context);
  },
};

function around(group: Token, opening: Token, text: Token, closing: Token, context: Context): ReturnType<Kind["pair"]> {
  return {
    before: [["enter", group, context], ["enter", opening, context], ["exit", opening, context], ["enter", text, context]],
    after: [["exit", text, context], ["enter", closing, context], ["exit", closing, context], ["exit", group, context]],
  };
}

function lengthOf({ start, end }: Token): number {
  return end.offset - start.offset;
}

/** Within a run of delimiters, so that no line or tab lies between. */
function moved(point: Token["start"], by: number): Token["start"] {
  return { ...point, column: point.column + by, offset: point.offset + by, _bufferIndex: point._bufferIndex + by };
}
