/** The same message in other words: sent on a branch of its own, beside what followed from the first ones. */
import { type KeyboardEvent, useEffect, useState } from "react";
import { useGrowing } from "../chat/use-growing.ts";
import { Button } from "../common/button.tsx";
import { useText } from "../text/use-text.ts";

interface EditMessageProps {
  message: string;
  /** Resolves to false where it was not taken. */
  onSend: (message: string) => Promise<boolean>;
  onCancel: () => void;
}

export function EditMessage({ message, onSend, onCancel }: EditMessageProps) {
  const text = useText();
  const [draft, setDraft] = useState(message);
  const [sent, setSent] = useState(false);
  const box = useGrowing(draft);
  useEffect(() => {
    box.current?.focus();
    box.current?.setSelectionRange(box.current.value.length, box.current.value.length);
  }, [box]);
  const send = async () => {
    if (draft.trim() === "" || sent) return;
    setSent(true);
    if (await onSend(draft.trim())) onCancel();
    else setSent(false);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Escape") onCancel();
    else if (event.key === "Enter" && !event.shiftKey) void send();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div className="flex flex-col gap-1.5 rounded-lg border border-edge bg-surface p-2" data-testid="edit-message">
      <textarea
        ref={box}
        aria-label={text.turns.editLabel}
        data-testid="edit-message-text"
        data-said
        value={draft}
        onChange={(event) => setDraft(event.target.value)}
        onKeyDown={onKeyDown}
        className="field-sizing-content max-h-60 w-full resize-none bg-transparent px-1 text-base outline-none"
      />
      <p className="px-1 text-2xs text-soft">{text.turns.editHint}</p>
      <div className="flex flex-wrap gap-1.5">
        <Button weight="primary" data-testid="edit-message-send" disabled={draft.trim() === "" || sent} onClick={() => void send()}>{text.turns.editSend}</Button>
        <Button weight="quiet" onClick={onCancel}>{text.common.cancel}</Button>
      </div>
    </div>
  );
}
