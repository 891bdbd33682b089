/** What was written and not sent yet, and what goes along with it, by session. `use-kept-drafts.ts` keeps it beyond this page. */
import { useCallback, useSyncExternalStore } from "react";
import type { Draft } from "../../app/views.ts";

const EMPTY: Draft = { text: "", attachments: [] };
const drafts = new Map<string | null, Draft>();
const unkept = new Set<string | null>();
const listeners = new Set<() => void>();

export function readDraft(session: string | null): Draft {
  return drafts.get(session) ?? EMPTY;
}

export function useDraft(session: string | null): Draft {
  return useSyncExternalStore(listen, useCallback(() => readDraft(session), [session]));
}

export function changeDraft(session: string | null, change: Partial<Draft>): void {
  unkept.add(session);
  set(session, { ...readDraft(session), ...change });
}

/** As it was kept elsewhere, unless it was changed here since. */
export function takeKept(session: string | null, draft: Draft): void {
  if (!unkept.has(session)) set(session, draft);
}

/** The first message begins a session: what was written while it was on its way goes along to it. */
export function carryDraft(sent: string, along: readonly string[], to: string): void {
  const { text, attachments } = readDraft(null);
  changeDraft(to, { text: restOf(text, sent), attachments: attachments.filter(({ id }) => !along.includes(id)) });
  changeDraft(null, EMPTY);
}

/** What was written since it was sent is not part of it; what was changed in its middle is all still there. */
export function restOf(now: string, sent: string): string {
  return now.trimStart().startsWith(sent) ? now.trimStart().slice(sent.length).trimStart() : now;
}

/** Those that changed since they were asked for the last time. */
export function takeUnkept(): readonly (readonly [session: string | null, draft: Draft])[] {
  const changed = [...unkept].map((session) => [session, readDraft(session)] as const);
  unkept.clear();
  return changed;
}

/** It could not be kept. */
export function notKept(session: string | null): void {
  unkept.add(session);
}

export function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function set(session: string | null, draft: Draft): void {
  if (draft.text === "" && draft.attachments.length === 0) drafts.delete(session);
  else drafts.set(session, draft);
  for (const listener of [...listeners]) listener();
}
