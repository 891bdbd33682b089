/** The name of a session, being changed. Enter keeps it, Escape does not. */
import { type KeyboardEvent, useState } from "react";
import { focusOnMount } from "../common/focus-on-mount.ts";
import { useText } from "../text/use-text.ts";

export function RenameField({ title, onDone }: { title: string; onDone: (title: string | null) => void }) {
  const text = useText();
  const [name, setName] = useState(title);
  const keep = () => onDone(name.trim() === "" ? null : name.trim());
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter" && !event.nativeEvent.isComposing) keep();
    if (event.key === "Escape") {
      event.stopPropagation();
      onDone(null);
    }
  };
  return (
    <input
      ref={focusOnMount}
      data-testid="rename-input"
      aria-label={text.sessions.renameLabel}
      value={name}
      onChange={(event) => setName(event.target.value)}
      onBlur={keep}
      onKeyDown={onKeyDown}
      onFocus={(event) => event.target.select()}
      className="m-1 h-8 min-w-0 shrink-0 rounded-md border border-edge bg-surface px-2"
    />
  );
}
