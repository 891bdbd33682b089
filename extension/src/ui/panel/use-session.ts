/**
 * The session with this id, live; null while it loads, or where none is chosen.
 *
 * An answer streams in faster than a screen draws. At most one picture a frame is made of it, and making one gives way to the keyboard:
 * what the person types is drawn first.
 */
import { startTransition, useEffect, useMemo, useState } from "react";
import type { SessionView } from "../../agent/session-view.ts";
import type { PanelClient } from "../../app/panel-client.ts";
import type { Readable } from "../../lib/store.ts";

const nothing: Readable<null> = { get: () => null, subscribe: () => () => {} };

export function useSession(client: PanelClient, id: string | null): SessionView | null {
  const readable = useMemo<Readable<SessionView | null>>(() => (id === null ? nothing : client.session(id)), [client, id]);
  const [shown, setShown] = useState(() => ({ readable, view: readable.get() }));
  useEffect(() => {
    let frame = 0;
    const take = () => {
      frame = 0;
      startTransition(() => setShown((before) => (before.readable === readable && before.view === readable.get() ? before : { readable, view: readable.get() })));
    };
    const stop = readable.subscribe(() => {
      if (frame === 0) frame = requestAnimationFrame(take);
    });
    take();
    return () => {
      stop();
      cancelAnimationFrame(frame);
    };
  }, [readable]);
  return shown.readable === readable ? shown.view : readable.get();
}
