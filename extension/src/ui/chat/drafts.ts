/** What was written and not sent yet, and what goes along with it, by session. `use-kept-drafts.ts` keeps it beyond this page. */
import { useCallback, useSyncExternalStore } from "react";
import type { Draft } from "../../app/views.ts";

const EMPTY: Draft = { text: "", attachments: [] };
const drafts = new Map<string | null, Draft>();
const unkept = new Set<string | null>();
/** The messages that keep it are on their way: what is read meanwhile may be older. */
const onTheWay = new Map<string | null, Promise<void>>();
/** How often each was changed here. */
const changes = new Map<string | null, number>();
/** Of these it is known what other pages of ours kept. */
const known = new Set<string | null>();
const listeners = new Set<() => void>();

export function readDraft(session: string | null): Draft {
  return drafts.get(session) ?? EMPTY;
}

/** What is written; for the message box alone, which is drawn with every key. */
export function useDraftText(session: string | null): string {
  return useSyncExternalStore(listen, useCallback(() => readDraft(session).text, [session]));
}

/** What goes along; whoever looks at this is not drawn again for a key. */
export function useDraftAttachments(session: string | null): Draft["attachments"] {
  return useSyncExternalStore(listen, useCallback(() => readDraft(session).attachments, [session]));
}

export function changeDraft(session: string | null, change: Partial<Draft>): void {
  unkept.add(session);
  changes.set(session, changesOf(session) + 1);
  set(session, { ...readDraft(session), ...change });
}

/** Takes over what was kept elsewhere, unless it is changed here while that is read. What was begun here before anything was known goes along with it. */
export async function takeKept(session: string | null, read: () => Promise<Draft>): Promise<void> {
  const keptFirst = onTheWay.get(session);
  if (keptFirst !== undefined) await keptFirst;
  const [before, wasUnkept] = [changesOf(session), unkept.has(session)];
  const kept = await read();
  if (!known.has(session)) {
    known.add(session);
    if (before > 0 || changesOf(session) > 0) return changeDraft(session, joined(kept, readDraft(session)));
  }
  if (!wasUnkept && !unkept.has(session) && !onTheWay.has(session) && changesOf(session) === before) set(session, kept);
}

function changesOf(session: string | null): number {
  return changes.get(session) ?? 0;
}

function joined(kept: Draft, here: Draft): Draft {
  const more = here.attachments.filter(({ id }) => !kept.attachments.some((other) => other.id === id));
  return { text: here.text === "" ? kept.text : here.text, attachments: [...kept.attachments, ...more] };
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

/** It is being kept; where that fails, it is still to be. */
export function keeping(session: string | null, kept: Promise<unknown>): void {
  const over: Promise<void> = Promise.allSettled([kept, onTheWay.get(session)]).then(([mine]) => {
    if (mine.status === "rejected") unkept.add(session);
    if (onTheWay.get(session) === over) onTheWay.delete(session);
  });
  onTheWay.set(session, over);
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
