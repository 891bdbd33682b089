/** One session: its name, where and when, how it stands, and what can be done with it. */
import { useState } from "react";
import type { SessionSummary } from "../../app/views.ts";
import { classNames } from "../common/class-names.ts";
import { TimeAgo } from "../common/time-ago.tsx";
import { useText } from "../text/use-text.ts";
import { RenameField } from "./rename-field.tsx";
import { SessionMenu } from "./session-menu.tsx";
import { SessionState } from "./session-state.tsx";

interface SessionRowProps {
  session: SessionSummary;
  chosen: boolean;
  onOpen: () => void;
  onRename: (title: string) => void;
  onDelete: () => void;
}

export function SessionRow({ session, chosen, onOpen, onRename, onDelete }: SessionRowProps) {
  const text = useText();
  const [renaming, setRenaming] = useState(false);
  const title = session.title || text.header.untitled;
  const rename = (name: string | null) => {
    setRenaming(false);
    if (name !== null && name !== session.title) onRename(name);
  };
  return (
    <li data-testid="session-row" data-session={session.id} data-state={session.status} className={classNames("group flex items-center gap-1 rounded-md pr-1", chosen ? "bg-sunken" : "hover:bg-sunken")}>
      {renaming ? (
        <RenameField title={session.title} onDone={rename} />
      ) : (
        <button type="button" aria-current={chosen || undefined} onClick={onOpen} className="min-w-0 flex-1 px-2 py-1.5 text-left">
          <span className="block truncate text-sm">{title}</span>
          <span className="mt-0.5 flex items-center gap-1.5 text-2xs text-soft">
            <SessionState status={session.status} />
            {session.workspace !== null && <span className="truncate">{session.workspace}</span>}
            <TimeAgo at={session.updatedAt} />
          </span>
        </button>
      )}
      <SessionMenu title={title} onRename={() => setRenaming(true)} onDelete={onDelete} />
    </li>
  );
}
