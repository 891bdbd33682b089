/** A heading inside a conversation is a signpost, not a title: two sizes are enough, below the panel's own headings. */
import type { ReactNode } from "react";

export function MarkdownHeading({ depth, children }: { depth: number; children: ReactNode }) {
  const Tag = depth === 1 ? "h3" : depth === 2 ? "h4" : "h5";
  return <Tag className={depth <= 2 ? "mt-1 text-lg font-semibold" : "mt-0.5 font-semibold"}>{children}</Tag>;
}
