/**
 * The session with this id, live; null while it loads, or where none is chosen.
 *
 * An answer streams in faster than anyone reads. Only so many pictures a second are made of it, and making one gives way to the
 * keyboard: what the person types is drawn first. What matters at once (a card, an end) waits for the next frame and no longer.
 */
import { startTransition, useEffect, useMemo, useState } from "react";
import type { SessionView } from "../../agent/session-view.ts";
import type { PanelClient } from "../../app/panel-client.ts";
import type { Readable } from "../../lib/store.ts";

const nothing: Readable<null> = { get: () => null, subscribe: () => () => {} };

/** Twelve pictures a second read as flowing, and leave the time between them to the keyboard. */
const PACE_MS = 80;

export function useSession(client: PanelClient, id: string | null): SessionView | null {
  const readable = useMemo<Readable<SessionView | null>>(() => (id === null ? nothing : client.session(id)), [client, id]);
  const [shown, setShown] = useState(() => ({ readable, view: readable.get() }));
  useEffect(() => {
    let frame = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let taken = 0;
    let drawn: SessionView | null = null;
    const take = () => {
      frame = 0;
      taken = performance.now();
      drawn = readable.get();
      startTransition(() => setShown((before) => (before.readable === readable && before.view === drawn ? before : { readable, view: readable.get() })));
    };
    const next = () => {
      timer = undefined;
      if (frame === 0) frame = requestAnimationFrame(take);
    };
    const stop = readable.subscribe(() => {
      if (frame !== 0) return;
      if (isNews(drawn, readable.get())) {
        clearTimeout(timer);
        next();
      } else timer ??= setTimeout(next, Math.max(0, PACE_MS - (performance.now() - taken)));
    });
    take();
    return () => {
      stop();
      clearTimeout(timer);
      cancelAnimationFrame(frame);
    };
  }, [readable]);
  return shown.readable === readable ? shown.view : readable.get();
}

/** More than words that stream. */
function isNews(before: SessionView | null, now: SessionView | null): boolean {
  return before === null || now === null || before.status !== now.status || before.turns.length !== now.turns.length || before.waiting.length !== now.waiting.length || before.queue !== now.queue;
}
