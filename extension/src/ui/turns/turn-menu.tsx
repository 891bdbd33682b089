/** What can be done with a turn. What would change the conversation waits until nothing runs. */
import { Menu } from "@base-ui/react/menu";
import { CopyPlus, FileInput, Files, GitFork, MessageSquareX, Pencil, Pin, PinOff, RotateCcw, Undo2 } from "lucide-react";
import type { TurnView } from "../../agent/session-view.ts";
import { useChat } from "../chat/chat.ts";
import { MenuItem } from "../common/menu-item.tsx";
import { RowMenu } from "../common/row-menu.tsx";
import { useText } from "../text/use-text.ts";
import type { TurnFacts } from "./turn-facts.ts";
import { useTurnActs } from "./use-turn-acts.ts";

interface TurnMenuProps {
  turn: TurnView;
  facts: TurnFacts;
  onEdit: () => void;
}

export function TurnMenu({ turn, facts, onEdit }: TurnMenuProps) {
  const text = useText();
  const words = text.turns;
  const chat = useChat();
  const acts = useTurnActs(turn);
  if (!chat?.session) return null;
  const { busy } = chat;
  const icon = (Icon: typeof Pencil) => <Icon aria-hidden size={14} className="shrink-0" />;
  const filesUndone = facts.undone?.direction === "undo";
  return (
    <RowMenu label={words.more(turn.message.text.slice(0, 40))} testId="turn-menu">
      <MenuItem testId="turn-retry" icon={icon(RotateCcw)} disabled={busy} onClick={acts.retry}>{words.retry}</MenuItem>
      <MenuItem testId="turn-edit" icon={icon(Pencil)} disabled={busy} onClick={onEdit}>{words.edit}</MenuItem>
      {facts.later > 0 && <MenuItem testId="turn-fork" icon={icon(GitFork)} disabled={busy} onClick={acts.fork}>{words.fork}</MenuItem>}
      <Menu.Separator className="my-1 h-px bg-line" />
      <MenuItem testId="turn-undo" icon={icon(Undo2)} disabled={busy} onClick={() => acts.goBack("undo", "both")}>{words.undo}</MenuItem>
      {filesUndone ? (
        <MenuItem testId="turn-redo-files" icon={icon(Files)} disabled={busy} onClick={() => acts.goBack("redo", "files")}>{words.redoFiles}</MenuItem>
      ) : (
        <MenuItem testId="turn-undo-files" icon={icon(Files)} disabled={busy} onClick={() => acts.goBack("undo", "files")}>{words.undoFiles}</MenuItem>
      )}
      {facts.replaced.length > 0 && <MenuItem testId="turn-bring-replaced" icon={icon(FileInput)} disabled={busy} onClick={() => acts.goBack("replaced", "files")}>{words.replacedMenu}</MenuItem>}
      <Menu.Separator className="my-1 h-px bg-line" />
      <MenuItem testId="turn-copy" icon={icon(CopyPlus)} onClick={() => void acts.copy("turn")}>{words.copyTurn}</MenuItem>
      <MenuItem testId="conversation-copy" icon={icon(CopyPlus)} onClick={() => void acts.copy("all")}>{words.copyAll}</MenuItem>
      <MenuItem testId="turn-pin" icon={icon(turn.pinned ? PinOff : Pin)} onClick={acts.pin}>{turn.pinned ? words.unpin : words.pin}</MenuItem>
      <Menu.Separator className="my-1 h-px bg-line" />
      <MenuItem testId="turn-remove" danger icon={icon(MessageSquareX)} disabled={busy} onClick={() => void acts.remove()}>{words.remove}</MenuItem>
    </RowMenu>
  );
}
