/**
 * Where one is, and the way to go elsewhere.
 *
 * Without a session in the address it is the one that runs or waits, else the latest: opening the panel shows the live session.
 */
import { useCallback, useEffect, useState } from "react";
import type { AppView } from "../../app/views.ts";
import { type Place, readPlace, writePlace } from "./place.ts";

/** Opening a panel takes less. */
const JUST_BEFORE_MS = 5_000;

/** With `from` only while one is still there: what was saved slowly must not pull back a person who went on meanwhile. */
export type Go = (to: Partial<Place>, from?: Place) => void;

export function usePlace(app: AppView | null): [place: Place, go: Go] {
  const [place, setPlace] = useState<Place>(() => readPlace(location.hash));
  // A notification may be what opened the page.
  const [opened] = useState(() => Date.now() - JUST_BEFORE_MS);
  const go = useCallback<Go>((to, from) => setPlace((before) => (from === undefined || isSame(before, from) ? { ...before, part: null, ...to } : before)), []);

  useEffect(() => {
    const onHash = () => setPlace(readPlace(location.hash));
    addEventListener("hashchange", onHash);
    return () => removeEventListener("hashchange", onHash);
  }, []);
  // The address is kept without a step in the browser's history: the panel's own arrow leads back.
  useEffect(() => {
    const hash = writePlace(place);
    if (hash !== location.hash) history.replaceState(null, "", `${location.pathname}${location.search}${hash}`);
  }, [place]);

  // A notification leads here once; what is older than this page was for another one.
  const focus = app?.focus ?? null;
  const [seen, setSeen] = useState(0);
  if (focus !== null && focus.at > Math.max(seen, opened)) {
    setSeen(focus.at);
    const shown: Place = { screen: "chat", part: null, session: focus.session };
    setPlace(shown);
    return [shown, go];
  }

  if (app !== null && place.session === undefined) {
    const settled = { ...place, session: liveSession(app) };
    setPlace(settled);
    return [settled, go];
  }
  return [place, go];
}

function isSame(here: Place, there: Place): boolean {
  return here.screen === there.screen && here.part === there.part;
}

function liveSession(app: AppView): string | null {
  const latestFirst = app.sessions.toSorted((a, b) => b.updatedAt - a.updatedAt);
  const live = latestFirst.find((session) => session.status === "running" || session.status === "needs_you");
  return (live ?? latestFirst[0])?.id ?? null;
}
