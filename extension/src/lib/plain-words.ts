/**
 * A text without the marks of markdown: what a line or two of it say, shown where nothing is laid out.
 *
 * Only what cannot be anything else is taken for a mark: `**kwargs`, `src/**`, `2 * 3` and `__init__` stay as they are, because much of
 * what is looked for is code. A link gives its words.
 */
export function plainWords(text: string): string {
  return MARKS.reduce((plain, [mark, words]) => plain.replaceAll(mark, words), text);
}

/** Within a line, and no longer than anyone emphasises: a mark without its other half is not looked for to the end. */
const MARKS: readonly (readonly [RegExp, string])[] = [
  // Fences, rulers, and the line under a table's head.
  [/^[ \t]*(?:`{3,}|~{3,})[^\n`]*$/gm, ""],
  [/^[ \t]*(?:(?:[-*_][ \t]*){3,}|=+|(?:\|[ \t]*)?:?-+:?[ \t]*(?:\|[ \t:|-]*)?)$/gm, ""],
  // What a line begins with: quotes, a list's marks, a task's box, a headline.
  [/^(?:[ \t]*(?:>|[-+*•](?=[ \t])))+[ \t]*(?:\[[ xX]\][ \t])?/gm, ""],
  [/^[ \t]*#{1,6}[ \t]+/gm, ""],
  [/^[ \t]*\||\|[ \t]*$/gm, ""],
  // In a line, what stands within another one first.
  [/!?\[([^\n[\]]{1,300})\]\([^\n()\s]{0,600}(?:[ \t]"[^\n"]{0,200}")?\)/g, "$1"],
  [/(`+)([^\n`]{1,400})\1(?!`)/g, "$2"],
  [/(?<![\w*/])\*(?=[^\s*/])([^\n*]{1,400}?)(?<=[^\s*/])\*(?![\w*/])/g, "$1"],
  [/(?<![\w*/])\*{2,3}(?=[^\s*/])([^\n*]{1,400}?)(?<=[^\s*/])\*{2,3}(?![\w*/])/g, "$1"],
  // Two of these are as often a name in Python.
  [/(?<![\w/])_(?=[^\s_/])([^\n_]{1,400}?)(?<=[^\s_/])_(?![\w/])/g, "$1"],
  [/(?<![\w~])~~(?=\S)([^\n~]{1,400}?)(?<=\S)~~(?![\w~])/g, "$1"],
];
