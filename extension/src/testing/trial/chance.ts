// Numbers from a seed: the same words, the same numbers, on every machine and in every run.

export class Chance {
  #state: number;

  constructor(...words: readonly (string | number)[]) {
    this.#state = 0x811c9dc5;
    for (const letter of words.join("\u0000")) this.#state = Math.imul(this.#state ^ (letter.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  }

  /** From 0 to 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  below(count: number): number {
    return Math.floor(this.next() * count);
  }

  happens(share: number): boolean {
    return this.next() < share;
  }

  /** One of them, by weight. */
  choose<Name extends string>(weights: Readonly<Record<Name, number>>): Name {
    const entries = Object.entries<number>(weights);
    let left = this.next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [name, weight] of entries) {
      left -= weight;
      if (left < 0) return name as Name;
    }
    return entries.at(-1)?.[0] as Name;
  }
}
