/** The model's words, drawn as they stream. No raw HTML, no remote pictures, no link that hides where it goes. */
import { useState } from "react";
import { GrowingBlocks } from "./growing-blocks.ts";
import { MarkdownBlock } from "./markdown-block.tsx";

export function Markdown({ source }: { source: string }) {
  const [growing] = useState(() => new GrowingBlocks());
  return (
    <div data-said className="flex min-w-0 flex-col gap-2.5 text-base">
      {growing.parse(source).map((block) => (
        <MarkdownBlock key={block.at} block={block} />
      ))}
    </div>
  );
}
