/**
 * Turns a terminal's output into coloured runs of text: SGR colours, carriage returns, backspaces.
 *
 * Every other escape sequence is dropped; this is a log, not a screen.
 */
export type AnsiColour = "red" | "green" | "yellow" | "blue" | "magenta" | "cyan" | "dim";

export interface AnsiRun {
  /** Where it begins in what is shown: runs are told apart by it. */
  at: number;
  text: string;
  colour: AnsiColour | null;
  bold: boolean;
}

interface Style {
  colour: AnsiColour | null;
  bold: boolean;
}

const colours: Record<number, AnsiColour> = { 31: "red", 32: "green", 33: "yellow", 34: "blue", 35: "magenta", 36: "cyan", 90: "dim", 91: "red", 92: "green", 93: "yellow", 94: "blue", 95: "magenta", 96: "cyan" };
// oxlint-disable-next-line no-control-regex -- escape sequences are made of control characters.
const escape = /\u001b(?:\[([0-9;:?]*)([@-~]|$)|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])/y;

export function parseAnsi(output: string): AnsiRun[] {
  const lines: { character: string; style: Style }[][] = [[]];
  let style: Style = { colour: null, bold: false };
  let column = 0;
  for (let at = 0; at < output.length; ) {
    escape.lastIndex = at;
    const sequence = escape.exec(output);
    if (sequence) {
      if (sequence[2] === "m") style = restyle(style, sequence[1] ?? "");
      at += sequence[0].length;
      continue;
    }
    const character = String.fromCodePoint(output.codePointAt(at) ?? 0);
    at += character.length;
    if (character === "\n") {
      lines.push([]);
      column = 0;
    } else if (character === "\r") column = 0;
    else if (character === "\b") column = Math.max(0, column - 1);
    else {
      const line = lines.at(-1) ?? [];
      line[column] = { character, style };
      column += 1;
    }
  }
  return joinRuns(lines);
}

function restyle(style: Style, parameters: string): Style {
  let next = style;
  for (const code of parameters.split(/[;:]/u).map(Number)) {
    if (code === 0) next = { colour: null, bold: false };
    else if (code === 1) next = { ...next, bold: true };
    else if (code === 2) next = { ...next, colour: "dim" };
    else if (code === 22) next = { ...next, bold: false };
    else if (code === 39) next = { ...next, colour: null };
    else if (colours[code]) next = { ...next, colour: colours[code] };
  }
  return next;
}

function joinRuns(lines: { character: string; style: Style }[][]): AnsiRun[] {
  const runs: AnsiRun[] = [];
  let shown = 0;
  const add = (text: string, style: Style) => {
    const last = runs.at(-1);
    if (last && last.colour === style.colour && last.bold === style.bold) last.text += text;
    else runs.push({ at: shown, text, ...style });
    shown += text.length;
  };
  for (const [index, line] of lines.entries()) {
    if (index > 0) add("\n", runs.at(-1) ?? { colour: null, bold: false });
    for (const cell of line) add(cell.character, cell.style);
  }
  return runs;
}
