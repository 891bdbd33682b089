/**
 * Colours for code, by what its words are. Loaded once and only when there is code with a language; until then code stands plain.
 *
 * Four kinds are enough to read by: what is said about code, what is text in it, what the language itself says, what is a value.
 */
export type CodeKind = "comment" | "string" | "keyword" | "value";

export interface CodePiece {
  at: number;
  text: string;
  kind: CodeKind | null;
}

type Highlight = (code: string, language: string) => readonly CodePiece[] | null;

let loaded: Highlight | null = null;
let loading: Promise<Highlight> | null = null;

/** Null: not loaded yet. */
export function highlightNow(): Highlight | null {
  return loaded;
}

export function loadHighlight(): Promise<Highlight> {
  loading ??= import("./highlight-code.ts").then(({ highlightCode }) => (loaded = highlightCode));
  return loading;
}
