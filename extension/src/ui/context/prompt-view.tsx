/** The prompt inspector: each part of the next request, where it comes from and what it weighs; opened, every word of it. */
import { useCallback, useEffect, useState } from "react";
import { LIFETIME_TURNS } from "../../agent/limits.ts";
import type { InspectedPart } from "../../app/inspect-prompt.ts";
import { formatCount } from "../../lib/format-count.ts";
import type { Chat } from "../chat/chat.ts";
import { Button } from "../common/button.tsx";
import { CodeBlock } from "../common/code-block.tsx";
import { Disclosure } from "../common/disclosure.tsx";
import { Spinner } from "../common/spinner.tsx";
import { VisibleText } from "../common/visible-text.tsx";
import { REFUSED } from "../panel/use-intents.ts";
import { useText } from "../text/use-text.ts";

export function PromptView({ chat, session }: { chat: Chat; session: string }) {
  const text = useText();
  const words = text.meter;
  const { send } = chat;
  const [parts, setParts] = useState<readonly InspectedPart[] | "looking" | "failed">("looking");
  const look = useCallback(() => send("inspectPrompt", { session }).then((found) => setParts(found === REFUSED ? "failed" : found.parts)), [send, session]);
  useEffect(() => {
    void look();
  }, [look]);
  if (parts === "looking") return <p className="flex items-center gap-2 text-xs text-soft"><Spinner size={12} />{words.looking}</p>;
  if (parts === "failed") return <p className="flex items-center justify-between gap-2 text-xs text-soft">{words.noPrompt}<Button onClick={() => void look()}>{words.again}</Button></p>;
  const kinds: Record<string, string> = words.sources;
  return (
    <div data-testid="prompt-view">
      <p className="text-xs text-soft">{words.promptHint} {words.promptParts(parts.length)}, {words.tokens(formatCount(parts.reduce((sum, part) => sum + part.tokens, 0), text.language.tag))}. {words.staysHint(LIFETIME_TURNS)}</p>
      <ol className="mt-1.5 divide-y divide-line">
        {parts.map((part, place) => {
          const [kind = "", ...rest] = part.source.split(":");
          return (
            // oxlint-disable-next-line react/no-array-index-key -- parts have no names of their own, and the list is read whole.
            <li key={`${place} ${part.source}`} data-testid="prompt-part">
              <Disclosure
                summary={
                  <span className="flex min-w-0 flex-1 items-baseline gap-2">
                    <span className="shrink-0">{Object.hasOwn(kinds, kind) ? kinds[kind] : kind}</span>
                    <code className="min-w-0 flex-1 truncate text-ink"><VisibleText value={rest.join(":")} oneLine /></code>
                    {part.lifetime !== undefined && <span data-testid="prompt-lifetime" className="shrink-0 text-2xs">{part.lifetime === "stub" ? words.isStub : part.lifetime <= 0 ? words.lastTurn : words.moreTurns(part.lifetime)}</span>}
                    <span className="shrink-0 tabular-nums">{formatCount(part.tokens, text.language.tag)}</span>
                  </span>
                }
              >
                <div className="pb-2"><CodeBlock code={part.text} wraps /></div>
              </Disclosure>
            </li>
          );
        })}
      </ol>
    </div>
  );
}
