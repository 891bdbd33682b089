/** The list of sessions, on a screen of its own or beside another. */
import { usePanel } from "../panel/panel-context.ts";
import { SessionList } from "./session-list.tsx";

export function History() {
  const { sessions, sessionId, go, send, deleteSession } = usePanel();
  return (
    <SessionList
      sessions={sessions}
      chosen={sessionId}
      onOpen={(session) => go({ screen: "chat", session })}
      onRename={(session, title) => void send("renameSession", { session, title })}
      onDelete={deleteSession}
    />
  );
}
