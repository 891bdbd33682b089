/** The window by what fills it, and the way to make room. */
import type { SessionView } from "../../agent/session-view.ts";
import { formatCount } from "../../lib/format-count.ts";
import { Button } from "../common/button.tsx";
import { formatShare } from "../common/format-share.ts";
import { Spinner } from "../common/spinner.tsx";
import { useText } from "../text/use-text.ts";

/** One colour, from strong to faint: which is which stands beside it in words. */
const shades = ["bg-accent", "bg-accent/80", "bg-accent/60", "bg-accent/45", "bg-accent/30", "bg-accent/20", "bg-accent/10"];

interface ContextUseProps {
  session: Pick<SessionView, "context" | "compacting">;
  onCompact: () => void;
}

export function ContextUse({ session, onCompact }: ContextUseProps) {
  const text = useText();
  const words = text.meter;
  const { tokens, window, share, level, classes } = session.context;
  const names: Record<string, string> = words.classes;
  const whole = Math.max(1, window ?? tokens, tokens);
  return (
    <div className="flex flex-col gap-2" data-testid="context-use">
      <p className="flex items-baseline justify-between gap-2">
        <span className="font-medium tabular-nums">{window === null ? words.usedUnknown(formatCount(tokens, text.language.tag)) : words.used(formatCount(tokens, text.language.tag), formatCount(window, text.language.tag))}</span>
        {share !== null && <span className="text-xs text-soft tabular-nums">{formatShare(share, text.language.tag)}</span>}
      </p>
      <div aria-hidden data-wash className="flex h-2 overflow-clip rounded-full bg-sunken">
        {classes.map((each, place) => <span key={each.name} data-dot className={shades[place % shades.length]} style={{ width: `${(each.tokens / whole) * 100}%` }} />)}
      </div>
      <ul className="flex flex-col gap-1 text-xs">
        {classes.map((each, place) => (
          <li key={each.name} className="flex items-center gap-2">
            <span aria-hidden data-dot className={`size-2.5 shrink-0 rounded-sm border border-accent/40 ${shades[place % shades.length]}`} />
            <span className="min-w-0 flex-1">{Object.hasOwn(names, each.name) ? names[each.name] : each.name}</span>
            <span className="text-soft tabular-nums">{formatCount(each.tokens, text.language.tag)}</span>
            <span className="w-10 text-end text-soft tabular-nums">{formatShare(each.tokens / whole, text.language.tag)}</span>
          </li>
        ))}
      </ul>
      {window === null && <p className="text-xs text-soft">{words.unknownWindow}</p>}
      {level === "warning" && <p className="text-xs text-warn">{words.warning}</p>}
      {level === "danger" && <p className="text-xs text-bad">{words.danger}</p>}
      <div>
        <Button data-testid="compact" disabled={session.compacting} icon={session.compacting ? <Spinner size={12} /> : undefined} onClick={onCompact}>{session.compacting ? words.makingRoom : words.makeRoom}</Button>
      </div>
    </div>
  );
}
