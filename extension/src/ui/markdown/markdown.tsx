/** The model's words, drawn as they stream. No raw HTML, no remote pictures, no link that hides where it goes. */
import { useMemo } from "react";
import { MarkdownBlock } from "./markdown-block.tsx";
import { parseBlocks } from "./parse-blocks.ts";

export function Markdown({ source }: { source: string }) {
  const blocks = useMemo(() => parseBlocks(source), [source]);
  return (
    <div className="flex min-w-0 flex-col gap-2.5 text-base">
      {blocks.map((block) => (
        <MarkdownBlock key={block.at} block={block} />
      ))}
    </div>
  );
}
