/** Where the older part of the conversation is told by a summary from now on: what it saved, what it says, and the way back. */
import { FoldVertical } from "lucide-react";
import type { CompactionLog } from "../../agent/log.ts";
import { formatCount } from "../../lib/format-count.ts";
import { useChat } from "../chat/chat.ts";
import { Button } from "../common/button.tsx";
import { Disclosure } from "../common/disclosure.tsx";
import { Markdown } from "../markdown/markdown.tsx";
import { useText } from "../text/use-text.ts";

export function CompactionNote({ compaction }: { compaction: CompactionLog }) {
  const text = useText();
  const words = text.turns;
  const chat = useChat();
  if (compaction.failed) return <p className="text-xs text-warn">{words.compactFailed}</p>;
  const session = chat?.session;
  return (
    <section data-testid="compaction-note" className="rounded-lg border border-dashed border-line px-2.5 py-1 text-xs text-soft">
      <div className="flex items-center gap-2">
        <FoldVertical aria-hidden size={12} className="shrink-0" />
        <span className="min-w-0 flex-1">{words.compacted(formatCount(compaction.tokensBefore, text.language.tag), formatCount(compaction.tokensAfter, text.language.tag))}</span>
        {chat && session && <Button weight="quiet" data-testid="undo-compaction" disabled={chat.busy} onClick={() => void chat.send("undoCompaction", { session, compaction: compaction.id })}>{words.undoCompaction}</Button>}
      </div>
      <Disclosure summary={words.summary}><div className="max-h-80 overflow-y-auto pb-1 text-ink"><Markdown source={compaction.summary} /></div></Disclosure>
    </section>
  );
}
