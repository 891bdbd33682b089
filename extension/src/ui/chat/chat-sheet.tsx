/** The sheet that is open over the conversation, if any. */
import type { SessionView } from "../../agent/session-view.ts";
import type { AttachmentDraft } from "../../app/views.ts";
import { AttachmentSheet } from "../attach/attachment-sheet.tsx";
import { PageSheet } from "../attach/page-sheet.tsx";
import { ChildrenSheet } from "../agents/children-sheet.tsx";
import { ContextSheet } from "../context/context-sheet.tsx";
import { SideSheet } from "../side/side-sheet.tsx";
import { BranchTree } from "../turns/branch-tree.tsx";
import { UndoSheet } from "../turns/undo-sheet.tsx";
import type { Chat, ChatSheetState } from "./chat.ts";

interface ChatSheetProps {
  sheet: ChatSheetState;
  session: SessionView | null;
  chat: Chat;
  onAttach: (draft: AttachmentDraft) => Promise<boolean>;
  onClose: () => void;
}

export function ChatSheet({ sheet, session, chat, onAttach, onClose }: ChatSheetProps) {
  switch (sheet.kind) {
    case "undo": {
      const { turns = [] } = session?.branches.find((branch) => branch.turns.some(({ id }) => id === sheet.turn)) ?? {};
      const place = (session?.turns ?? []).findIndex((turn) => turn.message.id === sheet.turn);
      const later = place === -1 ? turns.length - 1 - turns.findIndex(({ id }) => id === sheet.turn) : (session?.turns.length ?? 0) - 1 - place;
      return <UndoSheet chat={chat} turn={sheet.turn} direction={sheet.direction} startsWith={sheet.what} paths={sheet.paths} later={Math.max(0, later)} onClose={onClose} />;
    }
    case "context":
      return session && <ContextSheet chat={chat} session={session} startsWith={sheet.page} onClose={onClose} />;
    case "attachment":
      return <AttachmentSheet chat={chat} attachment={sheet.attachment} onClose={onClose} />;
    case "page":
      return <PageSheet chat={chat} what={sheet.what} onAttach={onAttach} onClose={onClose} />;
    case "children":
      return <ChildrenSheet chat={chat} onClose={onClose} />;
    case "side":
      return <SideSheet chat={chat} thread={sheet.session} question={sheet.question} onClose={onClose} />;
    case "tree":
      return <BranchTree chat={chat} branches={session?.branches ?? []} onClose={onClose} />;
  }
}
