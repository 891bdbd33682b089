/** One session: its name, where and when, how it stands, what fits the search, and what can be done with it. */
import { Pin } from "lucide-react";
import { useState } from "react";
import type { SearchHit, SessionSummary } from "../../app/views.ts";
import { Badge } from "../common/badge.tsx";
import { classNames } from "../common/class-names.ts";
import { TimeAgo } from "../common/time-ago.tsx";
import { usePanel } from "../panel/panel-context.ts";
import { useText } from "../text/use-text.ts";
import { Excerpt } from "./excerpt.tsx";
import { RelatedSessions } from "./related-sessions.tsx";
import { RenameField } from "./rename-field.tsx";
import { SessionMenu } from "./session-menu.tsx";
import { SessionState } from "./session-state.tsx";
import { TagField } from "./tag-field.tsx";

interface SessionRowProps {
  session: SessionSummary;
  matches: SearchHit["matches"];
  chosen: boolean;
}

export function SessionRow({ session, matches, chosen }: SessionRowProps) {
  const text = useText();
  const { go, send } = usePanel();
  const [open, setOpen] = useState<"rename" | "tags" | "related" | null>(null);
  const title = session.title || text.header.untitled;
  const rename = (name: string | null) => {
    setOpen(null);
    if (name !== null && name !== session.title) void send("renameSession", { session: session.id, title: name });
  };
  return (
    <li data-testid="session-row" data-session={session.id} data-state={session.status} data-shaded={chosen} className={classNames("group rounded-md", chosen ? "bg-sunken" : "hover:bg-sunken")}>
      <div className="flex items-center gap-1 pe-1">
        <div className="flex min-w-0 flex-1 flex-col">
          {open === "rename" ? (
            <RenameField title={session.title} onDone={rename} />
          ) : (
            <button type="button" aria-current={chosen || undefined} onClick={() => go({ screen: "chat", session: session.id })} className="w-full px-2 py-1.5 text-start -outline-offset-2">
              <span className="flex items-center gap-1.5 text-sm"><span className="truncate">{title}</span>{session.pinned === true && <Pin aria-label={text.sessions.pinned} size={11} className="shrink-0 text-accent" />}</span>
              <span className="mt-0.5 flex flex-wrap items-center gap-x-1.5 gap-y-0.5 text-2xs text-soft">
                <SessionState status={session.status} />
                {session.workspace !== null && <span className="truncate">{session.workspace}</span>}
                <TimeAgo at={session.updatedAt} />
                {session.tags?.map((tag) => <Badge key={tag}>{tag}</Badge>)}
              </span>
            </button>
          )}
          {matches.map((match) => <Excerpt key={`${match.turn} ${match.excerpt}`} match={match} onOpen={() => go({ screen: "chat", session: session.id, part: match.turn })} />)}
        </div>
        <SessionMenu session={session} onOpen={setOpen} />
      </div>
      {open === "tags" && <TagField session={session} onDone={() => setOpen(null)} />}
      {open === "related" && <RelatedSessions session={session.id} onClose={() => setOpen(null)} />}
    </li>
  );
}
