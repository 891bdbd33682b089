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

/** What cannot be parsed is text as it stands. */
function parse(markdown: string): readonly RootContent[] {
  if (TOO_DEEP.test(markdown)) return asText(markdown);
  try {
    return fromMarkdown(markdown, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] }).children;
  } catch (error) {
    // Firefox has a name of its own for a full stack.
    if (error instanceof RangeError || (error instanceof Error && error.name === "InternalError")) return asText(markdown);
    throw error;
  }
}

function asText(markdown: string): readonly RootContent[] {
  return [{ type: "paragraph", children: [{ type: "text", value: markdown }] }];
}
