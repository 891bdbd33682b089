/** A waiting message in other words. Enter keeps them, Escape leaves it as it was. */
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { focusOnMount } from "../common/focus-on-mount.ts";
import { useSteady } from "../common/use-steady.ts";
import { useText } from "../text/use-text.ts";

interface QueueEditProps {
  value: string;
  /** Resolves to false where it was not taken. */
  onSave: (text: string) => Promise<boolean>;
  onDone: () => void;
  /** The row went under the person's hands, said or removed: their words must not go with it. */
  onLost: (text: string) => void;
}

export function QueueEdit({ value, onSave, onDone, onLost }: QueueEditProps) {
  const text = useText();
  const [draft, setDraft] = useState(value);
  const unsaved = useRef<string | null>(null);
  const write = (words: string) => {
    setDraft(words);
    unsaved.current = words.trim() === "" || words === value ? null : words;
  };
  const leave = useSteady(() => {
    if (unsaved.current !== null) onLost(unsaved.current);
  });
  useEffect(() => leave, [leave]);
  const save = async () => {
    if (!(await onSave(draft.trim()))) return;
    unsaved.current = null;
    onDone();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Escape") {
      unsaved.current = null;
      onDone();
    }
    else if (event.key === "Enter" && !event.shiftKey) {
      if (draft.trim() !== "") void save();
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
      onChange={(event) => write(event.target.value)}
      onKeyDown={onKeyDown}
      className="field-sizing-content my-1 max-h-24 min-w-0 flex-1 resize-none rounded-md border border-edge bg-surface px-2 py-0.5"
    />
  );
}
