/** The list of sessions, on a screen of its own or beside another: searched in full text, filtered, each with what can be done with it. */
import { ListFilter, MessagesSquare, Search } from "lucide-react";
import { useState } from "react";
import { EmptyState } from "../common/empty-state.tsx";
import { IconButton } from "../common/icon-button.tsx";
import { usePanel } from "../panel/panel-context.ts";
import { useText } from "../text/use-text.ts";
import { DeletedSessions } from "./deleted-sessions.tsx";
import { FilterBar } from "./filter-bar.tsx";
import { ImportButton } from "./import-button.tsx";
import { RetentionNote } from "./retention-note.tsx";
import { Searching } from "./searching.tsx";
import { SessionRow } from "./session-row.tsx";
import { useRoom } from "./use-room.ts";
import { NO_FILTER, useSearch } from "./use-search.ts";

export function History() {
  const text = useText();
  const { sessions, sessionId } = usePanel();
  const [query, setQuery] = useState("");
  const [filter, setFilter] = useState(NO_FILTER);
  const [filters, showFilters] = useState(false);
  const { hits, searching, more, fault } = useSearch(query, filter);
  const room = useRoom(JSON.stringify([query, filter]));
  return (
    <nav data-region data-testid="session-list" aria-label={text.sessions.landmark} className="flex min-h-0 flex-1 flex-col">
      <div className="flex shrink-0 items-center gap-0.5 p-2 pb-1">
        <label className="flex h-8 min-w-0 flex-1 items-center gap-2 rounded-md border border-line bg-surface px-2.5 focus-within:border-accent">
          <Search aria-hidden size={13} className="shrink-0 text-soft" />
          <span className="sr-only">{text.sessions.search}</span>
          <input type="search" data-testid="session-search" value={query} onChange={(event) => setQuery(event.target.value)} placeholder={text.sessions.search} className="min-w-0 flex-1 bg-transparent text-sm outline-none" />
        </label>
        <IconButton label={text.sessions.filter} data-testid="session-filter" pressed={filters || filter !== NO_FILTER} icon={<ListFilter size={15} />} onClick={() => { showFilters(!filters); setFilter(NO_FILTER); }} />
        <ImportButton />
      </div>
      {filters && <FilterBar filter={filter} onChange={setFilter} />}
      <RetentionNote />
      {fault !== null ? (
        <p role="alert" data-testid="search-fault" className="px-3 py-2 text-xs text-bad">{fault}</p>
      ) : hits.length === 0 ? (
        searching ? <Searching /> : <EmptyState icon={sessions.length === 0 ? <MessagesSquare aria-hidden size={22} /> : <Search aria-hidden size={22} />} title={sessions.length === 0 ? text.sessions.none : text.sessions.noMatch}>{sessions.length === 0 ? text.sessions.noneHint : null}</EmptyState>
      ) : (
        <ul onScroll={room.onScroll} className="relative min-h-0 flex-1 overflow-y-auto px-2 pb-2">
          {hits.slice(0, room.count).map(({ session, matches }) => <SessionRow key={session.id} session={session} matches={matches} chosen={session.id === sessionId} />)}
          {more && hits.length <= room.count && <li data-testid="search-more" className="px-2 py-1.5 text-xs text-soft">{text.sessions.moreFound}</li>}
        </ul>
      )}
      <DeletedSessions />
    </nav>
  );
}
