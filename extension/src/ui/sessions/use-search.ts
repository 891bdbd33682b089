/** The sessions that fit what was typed and chosen: in full text where something was typed, else straight from the list. */
import { useEffect, useState } from "react";
import type { SearchHit, SessionSummary } from "../../app/views.ts";
import type { SessionStatus } from "../../agent/session-view.ts";
import { usePanel } from "../panel/panel-context.ts";

export interface Filter {
  readonly status: SessionStatus | "";
  readonly workspace: string;
  readonly tag: string;
  readonly pinned: boolean;
}

export const NO_FILTER: Filter = { status: "", workspace: "", tag: "", pinned: false };

/** Typing is waited for. */
const TYPING_MS = 150;

export function useSearch(query: string, filter: Filter): { readonly hits: readonly SearchHit[]; readonly searching: boolean } {
  const { client, sessions } = usePanel();
  const words = query.trim();
  const [found, setFound] = useState<{ key: string; hits: readonly SearchHit[] }>({ key: "", hits: [] });
  // New titles and states are found as well.
  const stamp = sessions.reduce((newest, session) => Math.max(newest, session.updatedAt), sessions.length);
  const key = words === "" ? "" : JSON.stringify([words, stamp]);

  useEffect(() => {
    if (key === "") return;
    let isCurrent = true;
    const timer = setTimeout(() => {
      client.send("searchSessions", { text: (JSON.parse(key) as [string, number])[0] }).then(
        ({ hits }) => isCurrent && setFound({ key, hits }),
        () => isCurrent && setFound({ key, hits: [] }),
      );
    }, TYPING_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [client, key]);

  const all = words === "" ? sessions.map((session) => ({ session, matches: [] })) : found.hits;
  return { hits: all.filter(({ session }) => fits(session, filter)).toSorted(newestFirst(words !== "")), searching: key !== "" && found.key !== key };
}

function fits(session: SessionSummary, { status, workspace, tag, pinned }: Filter): boolean {
  return (status === "" || session.status === status) && (workspace === "" || session.workspace === workspace) && (tag === "" || session.tags?.includes(tag) === true) && (!pinned || session.pinned === true);
}

/** Pinned ones first, but among what was found. */
function newestFirst(isSearch: boolean) {
  return (left: SearchHit, right: SearchHit): number => {
    const pins = isSearch ? 0 : Number(right.session.pinned ?? false) - Number(left.session.pinned ?? false);
    return pins !== 0 ? pins : right.session.updatedAt - left.session.updatedAt;
  };
}
