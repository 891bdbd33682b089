// Reads `]` in time that grows with the text.
//
// For each `]` the parser looks back for what it may end, and what ends a link or a picture is resolved anew with all that stands in it:
// pictures in one another, thousands deep, take a minute, and so many of these marks by themselves take seconds. Past so many steps as a
// text that is meant to be read never takes, a `]` is a character as any other.
import { labelEnd } from "micromark-core-commonmark";
import { gfm } from "micromark-extension-gfm";

type Construct = typeof labelEnd;
type Context = ThisParameterType<Construct["tokenize"]>;

/** For each event of a text; a sentence with a link or two has some dozens. */
const STEPS_PER_EVENT = 20;

/** A short text may nest a hundred deep. */
const STEPS_AT_LEAST = 50_000;

const BRACKET = 93;

/** After the parser's own and those of GitHub, in the place of both. `onSteps` is told what each `]` took. */
export function boundLabels(onSteps: (steps: number) => void = () => {}) {
  const footnotes = [gfm().text?.[BRACKET] ?? []].flat().filter(({ name }) => name === FOOTNOTE);
  const spent = new WeakMap<Context, number>();
  const bound = (construct: Construct, stepsIn: (context: Context) => number): Construct => ({
    ...construct,
    name: `bound ${construct.name ?? ""}`,
    tokenize(effects, ok, nok) {
      const before = spent.get(this) ?? 0;
      if (before > STEPS_AT_LEAST + STEPS_PER_EVENT * this.events.length) return nok;
      const steps = stepsIn(this);
      spent.set(this, before + steps);
      onSteps(steps);
      return construct.tokenize.call(this, effects, ok, nok);
    },
  });
  return { disable: { null: ["labelEnd", FOOTNOTE] }, text: { [BRACKET]: [bound(labelEnd, toBeginning), ...footnotes.map((construct) => bound(construct, toFootnote))] } };
}

const FOOTNOTE = "gfmPotentialFootnoteCall";

/** What stands in a link or a picture is moved, and resolved, as often as one ends around it. */
function toBeginning(context: Context): number {
  const start = context._labelStarts?.findLast(({ _balanced }) => _balanced !== true);
  return start === undefined ? 0 : context.now().offset - start.start.offset;
}

/** As it looks for a picture's beginning, `![^`. */
function toFootnote({ events }: Context): number {
  const at = events.findLastIndex(([, { type }]) => FOUND.has(type));
  return events.length - at;
}

const FOUND: ReadonlySet<string> = new Set(["labelImage", "gfmFootnoteCall", "labelLink", "label", "image", "link"]);
