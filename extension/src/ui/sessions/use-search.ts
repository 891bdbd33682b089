/** The sessions that fit what was typed and chosen: in full text where something was typed, else straight from the list. */
import { useEffect, useState } from "react";
import type { SearchHit, SearchQuery, SessionSummary } from "../../app/views.ts";
import type { SessionStatus } from "../../agent/session-view.ts";
import { refusalLine } from "../common/refusal-words.ts";
import { usePanel } from "../panel/panel-context.ts";
import { useText } from "../text/use-text.ts";

export interface Filter {
  readonly status: SessionStatus | "";
  readonly workspace: string;
  readonly tag: string;
  readonly pinned: boolean;
}

export const NO_FILTER: Filter = { status: "", workspace: "", tag: "", pinned: false };

/** Typing is waited for. */
const TYPING_MS = 150;

export interface Found {
  readonly hits: readonly SearchHit[];
  readonly searching: boolean;
  /** There are others that are not among the hits. */
  readonly more: boolean;
  /** Why it could not be searched. */
  readonly fault: string | null;
}

export function useSearch(query: string, filter: Filter): Found {
  const text = useText();
  const { client, sessions } = usePanel();
  const words = query.trim();
  const [found, setFound] = useState<Omit<Found, "searching"> & { readonly key: string }>({ key: "", ...NOTHING });
  // New titles and states are found as well.
  const stamp = sessions.reduce((newest, session) => Math.max(newest, session.updatedAt), sessions.length);
  const key = words === "" ? "" : JSON.stringify([{ text: words, ...asked(filter) } satisfies SearchQuery, stamp]);

  useEffect(() => {
    if (key === "") return;
    let isCurrent = true;
    const timer = setTimeout(() => {
      client.send("searchSessions", (JSON.parse(key) as [SearchQuery, number])[0]).then(
        ({ hits, more }) => isCurrent && setFound({ key, hits, more, fault: null }),
        (error: unknown) => isCurrent && setFound({ key, ...NOTHING, fault: refusalLine(error, text) }),
      );
    }, TYPING_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [client, key, text]);

  const all = words === "" ? sessions.map((session) => ({ session, matches: [] })) : found.hits;
  return { hits: all.filter(({ session }) => fits(session, filter)).toSorted(newestFirst(words !== "")), searching: key !== "" && found.key !== key, more: key !== "" && found.more, fault: key === "" ? null : found.fault };
}

const NOTHING = { hits: [], more: false, fault: null } as const;

/** Filtered where all is known: among the first hits alone there may be none that fits. */
function asked({ status, workspace, tag, pinned }: Filter): Omit<SearchQuery, "text"> {
  return { ...(status === "" ? {} : { status }), ...(workspace === "" ? {} : { workspace }), ...(tag === "" ? {} : { tag }), ...(pinned ? { pinned } : {}) };
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
