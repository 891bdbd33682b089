/** One message that waits: when it will be said, what it says, and the ways to change both. */
import { ArrowDown, ArrowUp, CornerDownRight, ListEnd, Paperclip, Pencil, X } from "lucide-react";
import { type KeyboardEvent, useState } from "react";
import type { QueueItemView } from "../../agent/session-view.ts";
import { IconButton } from "../common/icon-button.tsx";
import { MenuItem } from "../common/menu-item.tsx";
import { RowMenu } from "../common/row-menu.tsx";
import { useText } from "../text/use-text.ts";
import { QueueEdit } from "./queue-edit.tsx";
import type { QueueActs } from "./queue-strip.tsx";

interface QueueRowProps {
  item: QueueItemView;
  acts: QueueActs;
  /** Null: it is first, or last. */
  onUp: (() => void) | null;
  onDown: (() => void) | null;
}

const icons = { queue: <ListEnd aria-hidden size={12} />, steer: <CornerDownRight aria-hidden size={12} /> };

export function QueueRow({ item, acts, onUp, onDown }: QueueRowProps) {
  const text = useText();
  const words = text.dock;
  const [editing, setEditing] = useState(false);
  const other = item.kind === "queue" ? "steer" : "queue";
  const turn = () => void acts.edit(item.id, { kind: other });
  const onKeyDown = (event: KeyboardEvent) => {
    const run = event.altKey && event.key === "ArrowUp" ? onUp : event.altKey && event.key === "ArrowDown" ? onDown : event.key === "Delete" ? () => acts.remove(item.id) : null;
    if (!run) return;
    event.preventDefault();
    run();
  };
  return (
    <li data-testid="queue-item" data-kind={item.kind} className="flex min-h-7 items-center gap-1 pe-0.5 ps-1">
      <button type="button" data-testid="queue-kind" title={`${words.kindHints[item.kind]}. ${words.become[other]}`} onClick={turn} className="inline-flex shrink-0 items-center gap-1 rounded-md px-1.5 py-0.5 text-2xs font-medium text-soft hover:bg-sunken hover:text-ink">
        {icons[item.kind]}
        {words.kinds[item.kind]}
        <span className="sr-only">. {words.become[other]}</span>
      </button>
      {editing ? (
        <QueueEdit
          value={item.text}
          onSave={(changed) => acts.edit(item.id, { text: changed })}
          onDone={() => setEditing(false)}
          onLost={acts.rescue}
        />
      ) : (
        <button type="button" data-testid="queue-text" title={item.text} aria-keyshortcuts="Alt+ArrowUp Alt+ArrowDown Delete" onClick={() => setEditing(true)} onKeyDown={onKeyDown} className="min-w-0 flex-1 truncate rounded-sm py-1 text-start">
          {item.text}
        </button>
      )}
      {(item.attachments?.length ?? 0) > 0 && <span title={text.attach.label} className="inline-flex shrink-0 items-center gap-0.5 text-2xs text-soft"><Paperclip aria-hidden size={11} />{item.attachments?.length}<span className="sr-only">{text.attach.label}</span></span>}
      <RowMenu label={words.more(item.text.slice(0, 40))} testId="queue-more">
        <MenuItem icon={<Pencil aria-hidden size={14} />} onClick={() => setEditing(true)}>{words.edit}</MenuItem>
        <MenuItem icon={icons[other]} onClick={turn}>{words.become[other]}</MenuItem>
        {onUp && <MenuItem testId="queue-up" icon={<ArrowUp aria-hidden size={14} />} onClick={onUp}>{words.up}</MenuItem>}
        {onDown && <MenuItem testId="queue-down" icon={<ArrowDown aria-hidden size={14} />} onClick={onDown}>{words.down}</MenuItem>}
      </RowMenu>
      <IconButton className="size-6" label={words.remove} data-testid="queue-remove" icon={<X size={13} />} onClick={() => acts.remove(item.id)} />
    </li>
  );
}
