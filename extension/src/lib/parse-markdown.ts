/**
 * Parses markdown into its top-level blocks, each with the source it came from.
 *
 * The source is what a block is remembered by: while an answer streams, only the last block changes,
 * and everything before it is neither parsed into new nodes that matter nor drawn again.
 */
import type { RootContent } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { gfm } from "micromark-extension-gfm";
import { boundLabels } from "./bound-labels.ts";
import { pairDelimiters } from "./pair-delimiters.ts";

export interface Block {
  /** Where it begins: a block's identity, because answers only grow at the end. */
  at: number;
  source: string;
  node: RootContent;
}

export function parseBlocks(markdown: string): Block[] {
  return parse(markdown).map((node) => ({
    at: node.position?.start.offset ?? 0,
    node,
    source: markdown.slice(node.position?.start.offset ?? 0, node.position?.end.offset ?? markdown.length),
  }));
}

/** Quotes and lists in one another, deeper than anyone writes to be read: the parser takes minutes for them, or overflows. */
const TOO_DEEP = /^(?:[ \t]*(?:>|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t]))){100}/m;

const CONTAINER = /^[ \t]*(?:>|[-+*](?:[ \t]|$)|\d{1,9}[.)](?:[ \t]|$))/;

/** Lines that go on with a quote or an item without its mark: each is held against all before it. No one writes so many. */
const TOO_LAZY = 1_000;

/** Made once: an answer that streams in is parsed a dozen times a second. */
const GITHUB = { extensions: [gfm(), pairDelimiters(), boundLabels()], mdastExtensions: [gfmFromMarkdown()] };

/** What cannot be parsed is text as it stands. */
function parse(markdown: string): readonly RootContent[] {
  if (TOO_DEEP.test(markdown) || isTooLazy(markdown)) return asText(markdown);
  try {
    return fromMarkdown(markdown, GITHUB).children;
  } catch (error) {
    // Firefox has a name of its own for a full stack.
    if (error instanceof RangeError || (error instanceof Error && error.name === "InternalError")) return asText(markdown);
    throw error;
  }
}

function isTooLazy(markdown: string): boolean {
  let lazy = Number.NEGATIVE_INFINITY;
  for (const line of markdown.split(/\r\n|\r|\n/)) {
    lazy = CONTAINER.test(line) ? 0 : /^[ \t]*$/.test(line) ? Number.NEGATIVE_INFINITY : lazy + 1;
    if (lazy > TOO_LAZY) return true;
  }
  return false;
}

function asText(markdown: string): readonly RootContent[] {
  return [{ type: "paragraph", children: [{ type: "text", value: markdown }] }];
}
