/** The tags of a session, being changed: words with commas between them. */
import { type FormEvent, useState } from "react";
import type { SessionSummary } from "../../app/views.ts";
import { Button } from "../common/button.tsx";
import { focusOnMount } from "../common/focus-on-mount.ts";
import { usePanel } from "../panel/panel-context.ts";
import { useText } from "../text/use-text.ts";

export function TagField({ session, onDone }: { session: SessionSummary; onDone: () => void }) {
  const text = useText();
  const { send } = usePanel();
  const [words, setWords] = useState(session.tags?.join(", ") ?? "");
  const save = (event: FormEvent) => {
    event.preventDefault();
    void send("tagSession", { session: session.id, tags: words.split(",").map((tag) => tag.trim()).filter((tag) => tag !== "") });
    onDone();
  };
  return (
    <form onSubmit={save} className="flex items-center gap-1.5 px-2 pb-2">
      <input ref={focusOnMount} data-testid="tag-input" aria-label={text.sessions.tagsLabel} placeholder={text.sessions.tagsHint} value={words} onChange={(event) => setWords(event.target.value)} onKeyDown={(event) => event.key === "Escape" && (event.stopPropagation(), onDone())} className="h-7 min-w-0 flex-1 rounded-md border border-edge bg-surface px-2 text-xs" />
      <Button type="submit" data-testid="tag-save">{text.common.save}</Button>
    </form>
  );
}
