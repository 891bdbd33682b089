/** Every session, newest first, with a search over their titles. */
import { Search } from "lucide-react";
import { useState } from "react";
import type { SessionSummary } from "../../app/views.ts";
import { EmptyState } from "../common/empty-state.tsx";
import { useText } from "../text/use-text.ts";
import { SessionRow } from "./session-row.tsx";

interface SessionListProps {
  sessions: readonly SessionSummary[];
  chosen: string | null;
  onOpen: (id: string) => void;
  onRename: (id: string, title: string) => void;
  onDelete: (session: SessionSummary) => void;
}

export function SessionList({ sessions, chosen, onOpen, onRename, onDelete }: SessionListProps) {
  const text = useText();
  const [query, setQuery] = useState("");
  const wanted = query.trim().toLocaleLowerCase();
  const found = sessions.filter((session) => `${session.title} ${session.workspace ?? ""}`.toLocaleLowerCase().includes(wanted)).toSorted((a, b) => b.updatedAt - a.updatedAt);
  return (
    <nav data-region data-testid="session-list" aria-label={text.sessions.landmark} className="flex min-h-0 flex-1 flex-col">
      <label className="m-2 flex h-8 shrink-0 items-center gap-2 rounded-md border border-line bg-surface px-2.5 focus-within:border-accent">
        <Search aria-hidden size={13} className="text-soft" />
        <span className="sr-only">{text.sessions.search}</span>
        <input type="search" data-testid="session-search" value={query} onChange={(event) => setQuery(event.target.value)} placeholder={text.sessions.search} className="min-w-0 flex-1 bg-transparent text-sm outline-none" />
      </label>
      {found.length === 0 ? (
        <EmptyState title={sessions.length === 0 ? text.sessions.none : text.sessions.noMatch}>{sessions.length === 0 ? text.sessions.noneHint : null}</EmptyState>
      ) : (
        <ul className="relative min-h-0 flex-1 overflow-y-auto px-2 pb-2">
          {found.map((session) => (
            <SessionRow key={session.id} session={session} chosen={session.id === chosen} onOpen={() => onOpen(session.id)} onRename={(title) => onRename(session.id, title)} onDelete={() => onDelete(session)} />
          ))}
        </ul>
      )}
    </nav>
  );
}
