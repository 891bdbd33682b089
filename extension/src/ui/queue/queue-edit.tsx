/** A waiting message in other words. Enter keeps them, Escape leaves it as it was. */
import { type KeyboardEvent, useState } from "react";
import { focusOnMount } from "../common/focus-on-mount.ts";
import { useText } from "../text/use-text.ts";

interface QueueEditProps {
  value: string;
  onSave: (text: string) => void;
  onCancel: () => void;
}

export function QueueEdit({ value, onSave, onCancel }: QueueEditProps) {
  const text = useText();
  const [draft, setDraft] = useState(value);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Escape") onCancel();
    else if (event.key === "Enter" && !event.shiftKey) {
      if (draft.trim() !== "") onSave(draft.trim());
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <textarea
      ref={focusOnMount}
      rows={1}
      data-testid="queue-edit"
      aria-label={text.dock.editLabel}
      value={draft}
      onChange={(event) => setDraft(event.target.value)}
      onKeyDown={onKeyDown}
      className="field-sizing-content my-1 max-h-24 min-w-0 flex-1 resize-none rounded-md border border-edge bg-surface px-2 py-0.5"
    />
  );
}
