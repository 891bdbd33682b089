/** A question beside the conversation: same model, same context, and nothing of it comes back unless the person puts it there. */
import { type KeyboardEvent, useMemo, useState } from "react";
import type { Chat } from "../chat/chat.ts";
import { useChatActions } from "../chat/use-chat-actions.ts";
import { Button } from "../common/button.tsx";
import { focusOnMount } from "../common/focus-on-mount.ts";
import { Sheet } from "../common/sheet.tsx";
import { REFUSED } from "../panel/use-intents.ts";
import { useSession } from "../panel/use-session.ts";
import { useText } from "../text/use-text.ts";
import { answerOf } from "../turns/answer-of.ts";
import { SideTalk } from "./side-talk.tsx";
import { useFirstQuestion } from "./use-first-question.ts";

interface SideSheetProps {
  chat: Chat;
  /** Of a side thread that is there; null begins one. */
  thread: string | null;
  question: string;
  onClose: () => void;
}

/** What was written and not asked yet, beside each conversation: shutting the sheet loses nothing. */
const drafts = new Map<string, string>();

export function SideSheet({ chat, thread, question, onClose }: SideSheetProps) {
  const text = useText();
  const words = text.work;
  const { send, client } = chat;
  const [begun, setBegun] = useState(thread);
  const [draft, setWords] = useState(drafts.get(chat.session ?? "") ?? "");
  const setDraft = (written: string) => {
    setWords(written);
    drafts.set(chat.session ?? "", written);
  };
  const actions = useChatActions(useMemo(() => ({ ...chat, session: begun }), [chat, begun]));
  const session = useSession(client, begun);
  const busy = session?.status === "running" || (begun !== null && session === null);
  const ask = async (said: string) => {
    const asked = said.trim();
    if (asked === "" || chat.session === null || busy) return;
    const done = begun === null ? await send("startSide", { session: chat.session, text: asked }) : await send("sendMessage", { session: begun, text: asked });
    if (done === REFUSED) return;
    if (done !== null) setBegun(done.session);
    setDraft("");
  };
  useFirstQuestion(question, (first) => void ask(first));
  const last = session?.turns.at(-1);
  const answer = last && last.status === "complete" ? answerOf(last) : "";
  const insert = async () => {
    if (chat.session === null || !last) return;
    if ((await send("queueAdd", { session: chat.session, text: words.sideText(last.message.text, answer), kind: "queue" })) === REFUSED) return;
    chat.show({ tone: "good", message: words.sideInserted });
    onClose();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    void ask(draft);
  };
  return (
    <Sheet
      testId="side-sheet"
      title={words.side}
      hint={words.sideHint}
      onClose={onClose}
      actions={answer !== "" && <Button data-testid="side-insert" onClick={() => void insert()}>{words.sideInsert}</Button>}
    >
      {session && <SideTalk session={session} actions={actions} />}
      <div className="flex items-end gap-1.5 pt-2">
        <textarea ref={focusOnMount} rows={1} data-testid="side-input" aria-label={words.sideLabel} placeholder={words.sideLabel} value={draft} onChange={(event) => setDraft(event.target.value)} onKeyDown={onKeyDown} className="field-sizing-content max-h-32 min-h-8 min-w-0 flex-1 resize-none rounded-md border border-edge bg-surface px-2.5 py-1.5" />
        <Button weight="primary" data-testid="side-ask" disabled={draft.trim() === "" || busy} onClick={() => void ask(draft)}>{words.sideAsk}</Button>
      </div>
    </Sheet>
  );
}
