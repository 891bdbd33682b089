// How many tokens a text may be: four characters each in alphabets, one each in scripts that write whole words with one.

const WIDE = /[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]|[\ud840-\ud88f][\udc00-\udfff]/g;

export function estimateTokens(text: string): number {
  const wide = text.match(WIDE)?.reduce((sum, match) => sum + match.length, 0) ?? 0;
  const wideCount = text.match(WIDE)?.length ?? 0;
  return Math.ceil((text.length - wide) / 4) + wideCount;
}
