/**
 * The session with this id, live; null while it loads, or where none is chosen.
 *
 * Making a picture gives way to the keyboard: what the person types is drawn first (`picture-pace.ts`).
 */
import { startTransition, useEffect, useMemo, useRef, useState } from "react";
import type { SessionView } from "../../agent/session-view.ts";
import type { PanelClient } from "../../app/panel-client.ts";
import type { Readable } from "../../lib/store.ts";
import { PicturePace } from "./picture-pace.ts";

const nothing: Readable<null> = { get: () => null, subscribe: () => () => {} };

export function useSession(client: PanelClient, id: string | null): SessionView | null {
  const readable = useMemo<Readable<SessionView | null>>(() => (id === null ? nothing : client.session(id)), [client, id]);
  const [shown, setShown] = useState(() => ({ readable, view: readable.get() }));
  const pictures = useRef<PicturePace>(null);
  // Effects run when their picture is on the screen, and before the first there is no pace.
  useEffect(() => {
    if (shown.view !== null) pictures.current?.drawn();
  }, [shown]);
  useEffect(() => {
    let drawn: SessionView | null = null;
    const take = () => {
      drawn = readable.get();
      startTransition(() => setShown((before) => (before.readable === readable && before.view === drawn ? before : { readable, view: readable.get() })));
    };
    const pace = new PicturePace(take, document);
    pictures.current = pace;
    const stop = readable.subscribe(() => (isNews(drawn, readable.get()) ? pace.news() : pace.words()));
    take();
    return () => {
      stop();
      pace.stop();
      pictures.current = null;
    };
  }, [readable]);
  return shown.readable === readable ? shown.view : readable.get();
}

/** More than words that stream. */
function isNews(before: SessionView | null, now: SessionView | null): boolean {
  return before === null || now === null || before.status !== now.status || before.turns.length !== now.turns.length || before.waiting.length !== now.waiting.length || before.queue !== now.queue;
}
