/** Where the person writes. Enter sends, Shift+Enter starts a line, Escape stops the agent. */
import { ArrowUp, Square } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useState } from "react";
import type { SessionStatus } from "../../agent/session-view.ts";
import { useText } from "../text/use-text.ts";
import { RoundButton } from "./round-button.tsx";
import { useGrowing } from "./use-growing.ts";

interface ComposerProps {
  status: SessionStatus;
  stopping: boolean;
  /** Why nothing can be sent, or null. */
  blocked: string | null;
  /** Resolves to false where the message was not taken: it stays in the box. */
  onSend: (message: string) => Promise<boolean>;
  onStop: () => void;
  /** What stands at the lower left: the mode. */
  children: ReactNode;
}

export function Composer({ status, stopping, blocked, onSend, onStop, children }: ComposerProps) {
  const text = useText();
  const [draft, setDraft] = useState("");
  const [sending, setSending] = useState(false);
  const box = useGrowing(draft);
  const busy = status === "running" || status === "needs_you";
  const canSend = draft.trim() !== "" && blocked === null && !busy && !sending;

  const send = async () => {
    if (!canSend) return;
    setSending(true);
    const taken = await onSend(draft.trim());
    setSending(false);
    if (taken) setDraft("");
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // Enter that ends the writing of a Chinese or Japanese word is no Enter of ours.
    if (event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing) {
      event.preventDefault();
      void send();
    }
  };

  return (
    <div data-region className="rounded-lg border border-edge bg-surface focus-within:border-accent">
      <textarea
        ref={box}
        data-testid="composer-input"
        aria-label={text.composer.landmark}
        placeholder={blocked ?? text.composer.placeholders[status]}
        value={draft}
        rows={2}
        onChange={(event) => setDraft(event.target.value)}
        onKeyDown={onKeyDown}
        className="field-sizing-content block max-h-48 min-h-14 w-full resize-none bg-transparent px-3 pt-2.5 pb-1 text-base outline-none"
      />
      <div className="flex items-center justify-between gap-2 px-1.5 pb-1.5">
        {children}
        {busy ? (
          <RoundButton testId="stop" label={stopping ? text.composer.stopping : text.composer.stop} disabled={stopping} onClick={onStop} icon={<Square size={11} fill="currentColor" />} />
        ) : (
          <RoundButton testId="send" label={text.composer.send} disabled={!canSend} onClick={() => void send()} icon={<ArrowUp size={15} />} />
        )}
      </div>
    </div>
  );
}
