// Words of a text as a search knows them: folded, split at what is no letter or digit, names also by their parts.

/** Longer is no word that anyone types. */
const LONGEST = 40;

/** Scripts that write no spaces: searched by pairs of characters. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]+/gu;

/** All words of a text, each once, at most so many. */
export function wordsOf(text: string, most: number): readonly string[] {
  const words = new Set<string>();
  for (const [run] of text.normalize("NFKC").matchAll(/[\p{L}\p{N}\p{M}]+/gu)) {
    for (const word of wordsOfRun(run)) {
      if (words.size >= most) return [...words];
      words.add(word);
    }
  }
  return [...words];
}

/** What a search asks for: each must begin a word. */
export function termsOf(text: string): readonly string[] {
  const terms = [...text.normalize("NFKC").matchAll(/[\p{L}\p{N}\p{M}]+/gu)].flatMap(([run]) => [...spaced(run), ...pairs(run, false)]);
  return [...new Set(terms.map(fold))];
}

function wordsOfRun(run: string): readonly string[] {
  const whole = spaced(run);
  const parts = whole.flatMap((word) => [word, ...word.split(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u)]);
  return [...parts, ...pairs(run, true)].map(fold);
}

function spaced(run: string): readonly string[] {
  return run.split(UNSPACED).filter((word) => word !== "");
}

/** With the last one by itself, a search for one character finds it at the end of its run, too. */
function pairs(run: string, isText: boolean): readonly string[] {
  return [...run.matchAll(UNSPACED)].flatMap(([part]) => {
    const characters = [...part];
    const found = characters.slice(1).map((character, place) => `${characters[place]}${character}`);
    return isText || characters.length === 1 ? [...found, characters.at(-1) ?? ""] : found;
  });
}

function fold(word: string): string {
  return word.toLowerCase().slice(0, LONGEST);
}
