/** What was written and not sent yet, by session, for as long as the panel is open: going to another session and back loses nothing. */
const drafts = new Map<string, string>();

/** The key of a session that has not begun. */
const NEW = "";

export function readDraft(session: string | null): string {
  return drafts.get(session ?? NEW) ?? "";
}

export function keepDraft(session: string | null, draft: string): void {
  if (draft === "") drafts.delete(session ?? NEW);
  else drafts.set(session ?? NEW, draft);
}
