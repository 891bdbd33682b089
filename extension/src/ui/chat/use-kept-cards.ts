/**
 * Keeps what is chosen and typed on the cards of a session where it outlives this page: a panel that is closed and opened has every
 * tick, note and answer as it was left. Where nothing is under way no card waits, and nothing is kept.
 */
import { useEffect, useLayoutEffect } from "react";
import type { SessionView } from "../../agent/session-view.ts";
import type { PanelClient } from "../../app/panel-client.ts";
import { useSteady } from "../common/use-steady.ts";
import { forgetIn, keepIn, listenKept, packKept, unpackKept } from "../common/use-kept.ts";

/** As for drafts. */
const KEEP_MS = 400;

export function useKeptCards(client: PanelClient, session: string | null, status: SessionView["status"] | null): void {
  const isOver = status !== null && status !== "running" && status !== "needs_you";
  const hasNone = useSteady(() => isOver);
  useLayoutEffect(() => {
    keepIn(session);
    return () => keepIn(null);
  }, [session]);

  useEffect(() => {
    if (session === null) return;
    let isCurrent = true;
    let timer: ReturnType<typeof setTimeout> | null = null;
    let told: string | null = null;
    const keep = () => {
      if (timer !== null) clearTimeout(timer);
      timer = null;
      const cards = packKept(session);
      if (cards === told) return;
      told = cards;
      client.send("keepCards", { session, cards }).catch(() => (told = null));
    };
    const stop = listenKept(() => {
      timer ??= setTimeout(keep, KEEP_MS);
    });
    const leave = () => timer !== null && keep();
    client.send("readCards", { session }).then(
      ({ cards }) => {
        if (!isCurrent || cards === null) return;
        told ??= cards;
        if (hasNone()) keep();
        else unpackKept(session, cards);
      },
      () => {},
    );
    addEventListener("pagehide", leave);
    document.addEventListener("visibilitychange", leave);
    return () => {
      isCurrent = false;
      stop();
      leave();
      removeEventListener("pagehide", leave);
      document.removeEventListener("visibilitychange", leave);
    };
  }, [client, session, hasNone]);

  useEffect(() => {
    if (isOver && session !== null) forgetIn(session);
  }, [isOver, session]);
}
