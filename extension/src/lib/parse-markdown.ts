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
  const root = fromMarkdown(markdown, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
  return root.children.map((node) => ({
    at: node.position?.start.offset ?? 0,
    node,
    source: markdown.slice(node.position?.start.offset ?? 0, node.position?.end.offset ?? markdown.length),
  }));
}
