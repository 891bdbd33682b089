/**
 * When the next picture of a session is made.
 *
 * An answer streams in faster than anyone reads, so that only so many pictures a second are made of its words. While the person types,
 * each is made right behind the picture of a key, where the longest time is left until the next one: never between a key and its
 * picture. What matters at once (a card, an end) waits for the next frame and no longer.
 */

/** Twelve pictures a second read as flowing, and leave the time between them to the keyboard. */
export const PACE_MS = 80;

/** So long after a key the next one may come; who pauses longer is not typing. */
export const TYPING_MS = 250;

/** While the person types, pictures of words take no more than this part of the time: a slow machine draws fewer of them, and not its keys late. */
const TYPING_SHARE = 1 / 4;

/** Words stand still no longer than this, however slow the machine. */
export const SLOWEST_MS = 600;

export class PicturePace {
  readonly #take: () => void;
  readonly #keys: AbortController = new AbortController();
  #frame = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #takenAt = -Infinity;
  #keyAt = -Infinity;
  #cost = 0;

  constructor(take: () => void, keys: EventTarget) {
    this.#take = take;
    keys.addEventListener("keydown", () => this.#key(), { capture: true, passive: true, signal: this.#keys.signal });
  }

  /** Words came. */
  words(): void {
    if (this.#frame === 0 && this.#timer === undefined) this.#wait();
  }

  /** More than words came; also the first picture of all. */
  news(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#frame === 0) this.#frame = requestAnimationFrame(() => this.#now());
  }

  /** The picture that was asked for last is on the screen. */
  drawn(): void {
    this.#cost = performance.now() - this.#takenAt;
  }

  stop(): void {
    this.#keys.abort();
    clearTimeout(this.#timer);
    cancelAnimationFrame(this.#frame);
  }

  #wait(): void {
    const at = Math.max(this.#takenAt + PACE_MS, this.#keyAt + TYPING_MS);
    this.#timer = setTimeout(() => this.news(), Math.max(0, at - performance.now()));
  }

  #key(): void {
    this.#keyAt = performance.now();
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#wait();
    afterPicture(() => {
      if (this.#timer === undefined || this.#keys.signal.aborted || performance.now() < this.#takenAt + this.#typingPace()) return;
      clearTimeout(this.#timer);
      this.#timer = undefined;
      this.#now();
    });
  }

  #typingPace(): number {
    return Math.min(SLOWEST_MS, Math.max(PACE_MS, this.#cost / TYPING_SHARE));
  }

  #now(): void {
    this.#frame = 0;
    this.#takenAt = performance.now();
    this.#take();
  }
}

/** A message that is posted in a frame is handled when that frame has been handed over. */
function afterPicture(act: () => void): void {
  requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel();
    port1.addEventListener("message", () => {
      port1.close();
      act();
    });
    port1.start();
    port2.postMessage(null);
  });
}
