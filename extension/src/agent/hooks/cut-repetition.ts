// Ends an answer that goes round in circles, as small models' sometimes do: it would only cost until the provider's own limit.
import type { Hook } from "./hook.ts";

/** The same piece of text so often in a row is no list and no table any more. */
const TIMES = 12;
const SHORTEST = 24;
const LONGEST = 400;

export const cutRepetition: Hook = {
  id: "cut_repetition",
  summary: "Ends an answer that repeats itself without end.",
  isDefault: true,
  responseDelta: (text) => (repeats(text) ? "the answer repeated itself" : null),
};

/** The end of the text is one piece, over and over. What is one character all the way (a ruler, a frame) is none. */
export function repeats(text: string): boolean {
  for (let length = SHORTEST; length <= LONGEST && length * TIMES <= text.length; length += 1) {
    const piece = text.slice(-length);
    if (new Set(piece).size < 8) continue;
    let at = text.length - length;
    let times = 1;
    while (times < TIMES && text.startsWith(piece, at - length)) {
      at -= length;
      times += 1;
    }
    if (times === TIMES) return true;
  }
  return false;
}
