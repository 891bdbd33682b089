/**
 * Where a name holds letters that look like others: of another script amid Latin ones, dressed-up variants of ASCII, slashes that are
 * none, and marks that stand on nothing. By Unicode's own data, as the browser has it.
 *
 * A word of one script is an honest name in whatever language, and so is Latin beside Chinese, Japanese or Korean, which looks like
 * nothing else. Of a word in two scripts the fewer letters are marked; of as many, those that are not Latin.
 */
const ASCII = /^[\x20-\x7e]*$/u;
const WORD = /[\p{L}\p{M}\p{N}]+/gu;
const LATIN = /(?=\p{L})\p{Script=Latin}/u;
const OTHER = /(?=\p{L})[^\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}]/u;

/** Clicks, the script a and g, small capitals: Latin by name, and drawn like plainer letters or signs; and what is drawn like a slash. */
const ALIKE = /[\u01c0-\u01c3\u0251\u0261\u026a\u1d00-\u1dbf\u2044\u2215\u29f8\u27cb\u2571\uff0f]/u;

/** Full width, mathematical, Roman numerals. What Latin-1 has of these (ª, º, ²) is raised, and looks it. */
const VARIANT = /(?=[\p{L}\p{N}])[\u0100-\u{10ffff}]/u;
const ALNUM = /^[0-9A-Za-z]+$/u;
const LONE_MARK = /(?<![\p{L}\p{M}\p{N}\p{S}])\p{M}/gu;

/** The places of such characters. */
export function lookAlikes(value: string): ReadonlySet<number> {
  const found = new Set<number>();
  if (ASCII.test(value)) return found;
  for (const [at, character] of placed(value)) {
    if (ALIKE.test(character) || (VARIANT.test(character) && ALNUM.test(character.normalize("NFKC")))) found.add(at);
  }
  for (const { index } of value.matchAll(LONE_MARK)) found.add(index);
  for (const { 0: word, index } of value.matchAll(WORD)) {
    const letters = placed(word);
    const latin = letters.filter(([, letter]) => LATIN.test(letter));
    const other = letters.filter(([, letter]) => OTHER.test(letter));
    if (latin.length === 0 || other.length === 0) continue;
    for (const [at] of latin.length < other.length ? latin : other) found.add(index + at);
  }
  return found;
}

function placed(value: string): readonly (readonly [at: number, character: string])[] {
  let at = 0;
  return Array.from(value, (character) => {
    const here = at;
    at += character.length;
    return [here, character] as const;
  });
}
