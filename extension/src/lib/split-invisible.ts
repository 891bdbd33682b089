/**
 * Splits a text into what can be seen and what hides.
 *
 * Control, zero-width, direction and tag characters become codes, so that what a person approves is what is there.
 * Tab and line feed stay as they are in a text of many lines, where they are seen by what they do;
 * in a path or an argument they are hidden things like any other, and so are letters that look like others.
 */
import { lookAlikes } from "./look-alikes.ts";

export interface Piece {
  /** Where it begins: pieces of one text are told apart by it. */
  at: number;
  text: string;
  hidden: boolean;
  /** Of what is hidden: what is wrong with it. */
  kind?: HiddenKind;
}

/** It turns the direction of the text, steers a terminal, is not seen, or looks like another. */
export type HiddenKind = "turns" | "control" | "unseen" | "alike";

/** Everything Unicode calls control, format, surrogate or private, every separator but the plain space, and the blanks that are letters by class. */
const hidden = new RegExp(
  [
    String.raw`\p{Cc}|\p{Cf}|\p{Cs}|\p{Co}|\p{Zl}|\p{Zp}|(?! )\p{Zs}`,
    // Variation selectors, and the fillers and blanks that count as letters or symbols.
    String.raw`[\ufe00-\ufe0f]|[\u{e0100}-\u{e01ef}]|\u034f|\u115f|\u1160|\u17b4|\u17b5|\u2800|\u3164|\uffa0`,
  ].join("|"),
  "u",
);

const TURNS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;
const CONTROL = /\p{Cc}/u;

function kindOf(character: string): HiddenKind {
  return TURNS.test(character) ? "turns" : CONTROL.test(character) ? "control" : hidden.test(character) ? "unseen" : "alike";
}

/** Most texts hide nothing, and are told so in one look. */
const PLAIN = /^[\x20-\x7e]*$/u;

export function splitInvisible(value: string, lines: "many" | "one" = "many"): Piece[] {
  if (value !== "" && PLAIN.test(value)) return [{ at: 0, text: value, hidden: false }];
  const alike = lines === "one" ? lookAlikes(value) : null;
  const pieces: Piece[] = [];
  let seen = "";
  let at = 0;
  for (const character of value) {
    const layout = lines === "many" && (character === "\n" || character === "\t");
    if (layout || !(alike?.has(at) || hidden.test(character))) {
      seen += character;
      at += character.length;
      continue;
    }
    if (seen !== "") pieces.push({ at: at - seen.length, text: seen, hidden: false });
    seen = "";
    const code = character.codePointAt(0) ?? 0;
    const label = `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
    pieces.push({ at, text: label, hidden: true, kind: kindOf(character) });
    at += character.length;
  }
  if (seen !== "") pieces.push({ at: at - seen.length, text: seen, hidden: false });
  return pieces;
}
