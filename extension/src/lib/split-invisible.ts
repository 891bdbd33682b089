/**
 * Splits a text into what can be seen and what hides.
 *
 * Control, zero-width, direction and tag characters become codes, so that what a person approves is what is there.
 * Tab and line feed stay as they are: they are seen by what they do.
 */
export interface Piece {
  text: string;
  hidden: boolean;
  name?: string;
}

/** Everything Unicode calls control, format, surrogate or private, every separator but the plain space, and the blanks that are letters by class. */
const hidden =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/u;

const names: Record<number, string> = {
  0x00: "null", 0x07: "bell", 0x08: "backspace", 0x0d: "carriage return", 0x1b: "escape", 0x7f: "delete",
  0xa0: "no-break space", 0xad: "soft hyphen", 0x200b: "zero-width space", 0x200c: "zero-width non-joiner",
  0x200d: "zero-width joiner", 0x200e: "left-to-right mark", 0x200f: "right-to-left mark",
  0x202a: "left-to-right embedding", 0x202b: "right-to-left embedding", 0x202c: "end of embedding",
  0x202d: "left-to-right override", 0x202e: "right-to-left override", 0x2060: "word joiner",
  0x2066: "left-to-right isolate", 0x2067: "right-to-left isolate", 0x2068: "first-strong isolate",
  0x2069: "end of isolate", 0xfeff: "byte order mark",
};

export function splitInvisible(value: string): Piece[] {
  const pieces: Piece[] = [];
  let seen = "";
  for (const character of value) {
    if (character === "\n" || character === "\t" || !hidden.test(character)) {
      seen += character;
      continue;
    }
    if (seen !== "") pieces.push({ text: seen, hidden: false });
    seen = "";
    const code = character.codePointAt(0) ?? 0;
    const label = `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
    pieces.push({ text: label, hidden: true, name: names[code] ?? label });
  }
  if (seen !== "") pieces.push({ text: seen, hidden: false });
  return pieces;
}
