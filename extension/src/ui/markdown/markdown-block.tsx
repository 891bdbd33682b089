/** One top-level block; drawn again only when its own source changed. */
import { memo } from "react";
import { MarkdownNode } from "./markdown-node.tsx";
import type { Block } from "../../lib/parse-markdown.ts";

export const MarkdownBlock = memo(
  ({ block }: { block: Block }) => <MarkdownNode node={block.node} />,
  (before, after) => before.block.source === after.block.source && before.block.node.type === after.block.node.type,
);
MarkdownBlock.displayName = "MarkdownBlock";
