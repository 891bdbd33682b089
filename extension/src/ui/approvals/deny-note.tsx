/** A no with a reason: the note reaches the agent, which can then do better. */
import type { KeyboardEvent } from "react";
import { Button } from "../common/button.tsx";
import { focusOnMount } from "../common/focus-on-mount.ts";
import { useKept } from "../common/use-kept.ts";
import { useText } from "../text/use-text.ts";

interface DenyNoteProps {
  /** What the words belong to: they outlive a look at another screen. */
  owner: string;
  onSend: (note: string) => void;
  onCancel: () => void;
}

export function DenyNote({ owner, onSend, onCancel }: DenyNoteProps) {
  const text = useText();
  const [note, setNote] = useKept(owner, "note", () => "");
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Escape") onCancel();
    else if (event.key === "Enter" && !event.shiftKey) onSend(note.trim());
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div className="flex flex-col gap-2">
      <textarea
        ref={focusOnMount}
        rows={2}
        data-testid="approval-note"
        aria-label={text.approval.note}
        placeholder={text.approval.note}
        value={note}
        onChange={(event) => setNote(event.target.value)}
        onKeyDown={onKeyDown}
        className="w-full resize-none rounded-md border border-edge bg-surface px-2.5 py-1.5"
      />
      <div className="flex flex-wrap gap-1.5">
        <Button weight="danger" data-testid="approval-deny" onClick={() => onSend(note.trim())}>{text.approval.sendNote}</Button>
        <Button weight="quiet" onClick={onCancel}>{text.common.cancel}</Button>
      </div>
    </div>
  );
}
