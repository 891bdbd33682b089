/** What was said before this session, in the one it began from; open until something is said here. */
import { Copy } from "lucide-react";
import type { SessionView } from "../../agent/session-view.ts";
import { useChat } from "../chat/chat.ts";
import { Button } from "../common/button.tsx";
import { Disclosure } from "../common/disclosure.tsx";
import { Markdown } from "../markdown/markdown.tsx";
import { useText } from "../text/use-text.ts";

export function SeedNote({ session: { seed, origin, turns } }: { session: Pick<SessionView, "seed" | "origin" | "turns"> }) {
  const text = useText();
  const words = text.turns;
  const chat = useChat();
  if (seed.length === 0) return null;
  return (
    <section data-testid="seed-note" aria-label={words.seed} className="mb-4 rounded-lg border border-dashed border-line px-2.5 py-1 text-xs text-soft">
      <div className="flex items-center gap-2">
        <Copy aria-hidden size={12} className="shrink-0" />
        <span className="min-w-0 flex-1">{words.seed}</span>
        {chat && origin && <Button weight="quiet" data-testid="seed-origin" onClick={() => chat.open(origin.session)}>{words.seedOrigin}</Button>}
      </div>
      <Disclosure summary={words.seedMessages(seed.length)} startsOpen={turns.length === 0}>
        <div className="flex flex-col gap-2 pb-2 text-sm text-ink">
          {seed.map(({ role, text: said }, place) => (
            // oxlint-disable-next-line react/no-array-index-key -- it never changes.
            <div key={place} data-role={role}>
              <p className="text-2xs font-medium text-soft">{role === "user" ? text.chat.you : text.chat.agent}</p>
              {role === "user" ? <p className="break-words whitespace-pre-wrap">{said}</p> : <Markdown source={said} />}
            </div>
          ))}
        </div>
      </Disclosure>
    </section>
  );
}
