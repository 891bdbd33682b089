// Regular expressions that never take long: all ways through the expression are gone at once, one character after the other, so the
// work is the length of the text times the length of the expression. The browser's own engine tries one way after the other, and for
// `(a|a)+$` there are more of them than anyone lives.
//
// What one character is compared with (a class, an escape, a letter) is left to the browser's engine, so it means the same.

/** Says whether it is found anywhere in a text. */
export interface LinearPattern {
  test(text: string): boolean;
  /** Of its program; the work is this many steps for each character, at most. */
  readonly size: number;
}

type Instruction =
  | { readonly kind: "atom"; readonly fits: (character: string) => boolean }
  | { readonly kind: "assert"; readonly holds: (before: string, after: string) => boolean }
  /** Goes on at both. */
  | { readonly kind: "fork"; first: number; second: number }
  | { readonly kind: "found" };

type Node =
  | Exclude<Instruction, { kind: "fork" | "found" }>
  | { readonly kind: "sequence"; readonly parts: readonly Node[] }
  | { readonly kind: "choice"; readonly ways: readonly Node[] }
  | { readonly kind: "repeat"; readonly part: Node; readonly least: number; readonly most: number };

/** Repeats with a count are written out; nobody needs as many. */
const LARGEST = 5_000;

class Unusable extends Error {}

const compiled = (source: string) => new RegExp(source, "u");

/** Null: it is no regular expression (with the flag `u`), looks around or back, or is too large. */
export function linearPattern(source: string): LinearPattern | null {
  try {
    const { source: known } = compiled(source);
    const program = programOf(new Parser(known).whole());
    return { size: program.length, test: (text) => run(program, text) };
  } catch {
    return null;
  }
}

/** Of what the browser's engine takes: so a group that is opened is closed. */
class Parser {
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  whole(): Node {
    const node = this.#choice();
    if (this.#at < this.#source.length) throw new Unusable();
    return node;
  }

  #choice(): Node {
    const ways = [this.#sequence()];
    while (this.#source[this.#at] === "|") {
      this.#at += 1;
      ways.push(this.#sequence());
    }
    return { kind: "choice", ways };
  }

  #sequence(): Node {
    const parts: Node[] = [];
    while (this.#at < this.#source.length && this.#source[this.#at] !== "|" && this.#source[this.#at] !== ")") parts.push(this.#repeated(this.#once()));
    return { kind: "sequence", parts };
  }

  #repeated(part: Node): Node {
    const found = /^(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})\??/u.exec(this.#source.slice(this.#at));
    if (found === null) return part;
    this.#at += found[0].length;
    const [, sign, least, comma, most] = found;
    if (sign !== undefined) return { kind: "repeat", part, least: sign === "+" ? 1 : 0, most: sign === "?" ? 1 : Number.POSITIVE_INFINITY };
    return { kind: "repeat", part, least: Number(least), most: comma === undefined ? Number(least) : most === "" ? Number.POSITIVE_INFINITY : Number(most) };
  }

  #once(): Node {
    const rest = this.#source.slice(this.#at);
    const assertion = ASSERTIONS.find(([sign]) => rest.startsWith(sign));
    if (assertion !== undefined) {
      this.#at += assertion[0].length;
      return { kind: "assert", holds: assertion[1] };
    }
    if (rest.startsWith("(")) {
      const opening = /^\((?:\?:|\?<[^=!>][^>]*>|(?!\?))/u.exec(rest);
      if (opening === null) throw new Unusable();
      this.#at += opening[0].length;
      const group = this.#choice();
      this.#at += 1;
      return group;
    }
    const atom = ATOM.exec(rest)?.[0];
    // A digit or a name refers back to a group.
    if (atom === undefined || /^\\[1-9k]/u.test(atom)) throw new Unusable();
    this.#at += atom.length;
    return { kind: "atom", fits: fitsOf(atom) };
  }
}

function programOf(whole: Node): readonly Instruction[] {
  const program: Instruction[] = [];
  let written = 0;
  const add = (instruction: Instruction) => program.push(instruction);
  const fork = () => {
    const made = { kind: "fork" as const, first: program.length + 1, second: 0 };
    add(made);
    return made;
  };
  const write = (node: Node): void => {
    // What repeats nothing at all is written out without a trace, but not without time.
    written += 1;
    if (written > LARGEST) throw new Unusable();
    if (node.kind === "sequence") for (const part of node.parts) write(part);
    else if (node.kind === "choice") writeWays(node.ways);
    else if (node.kind === "repeat") writeRepeat(node);
    else add(node);
  };
  const writeWays = (ways: readonly Node[]): void => {
    const leaves = ways.slice(0, -1).map((way) => {
      const other = fork();
      write(way);
      const leave = fork();
      other.second = program.length;
      return leave;
    });
    const last = ways.at(-1);
    if (last !== undefined) write(last);
    for (const leave of leaves) leave.first = leave.second = program.length;
  };
  const writeRepeat = ({ part, least, most }: Extract<Node, { kind: "repeat" }>): void => {
    for (let count = 0; count < least; count += 1) write(part);
    const start = program.length;
    if (most === Number.POSITIVE_INFINITY) {
      const leave = fork();
      write(part);
      add({ kind: "fork", first: start, second: start });
      leave.second = program.length;
      return;
    }
    const leaves = [];
    for (let count = least; count < most; count += 1) {
      leaves.push(fork());
      write(part);
    }
    for (const leave of leaves) leave.second = program.length;
  };
  write(whole);
  add({ kind: "found" });
  return program;
}

const ATOM = /^(?:\[(?:\\[^]|[^\]\\])*\]|\\(?:u\{[0-9a-fA-F]+\}|u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[pP]\{[^}]*\}|c[A-Za-z]|[^])|[^])/u;

const isWord = (character: string) => /^\w$/u.test(character);

const ASSERTIONS: readonly (readonly [sign: string, holds: (before: string, after: string) => boolean])[] = [
  ["^", (before) => before === ""],
  ["$", (_before, after) => after === ""],
  ["\\b", (before, after) => isWord(before) !== isWord(after)],
  ["\\B", (before, after) => isWord(before) === isWord(after)],
];

function fitsOf(atom: string): (character: string) => boolean {
  const one = new RegExp(`^(?:${atom})$`, "u");
  const known = new Map<string, boolean>();
  return (character) => {
    const before = known.get(character);
    if (before !== undefined) return before;
    const fits = one.test(character);
    known.set(character, fits);
    return fits;
  };
}

function run(program: readonly Instruction[], text: string): boolean {
  const characters = [...text];
  // When a place was reached last: so each is entered once for each character.
  const reached = new Int32Array(program.length).fill(-1);
  let waiting: number[] = [];
  for (let at = 0; at <= characters.length; at += 1) {
    const before = characters[at - 1] ?? "";
    const after = characters[at] ?? "";
    // It may begin anywhere.
    const open = [...waiting, 0];
    const next: number[] = [];
    while (open.length > 0) {
      const place = open.pop() ?? 0;
      if (reached[place] === at) continue;
      reached[place] = at;
      const instruction = program[place];
      if (instruction === undefined || instruction.kind === "found") return true;
      if (instruction.kind === "fork") open.push(instruction.first, instruction.second);
      else if (instruction.kind === "assert") {
        if (instruction.holds(before, after)) open.push(place + 1);
      } else if (after !== "" && instruction.fits(after)) next.push(place + 1);
    }
    waiting = next;
  }
  return false;
}
