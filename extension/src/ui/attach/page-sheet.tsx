/** A page, or what is selected in it, to look at before it is attached: nothing of a page comes in unseen. */
import { useEffect, useState } from "react";
import type { AttachmentDraft } from "../../app/views.ts";
import type { Chat } from "../chat/chat.ts";
import { Button } from "../common/button.tsx";
import { CodeBlock } from "../common/code-block.tsx";
import { Sheet } from "../common/sheet.tsx";
import { Spinner } from "../common/spinner.tsx";
import { REFUSED } from "../panel/use-intents.ts";
import { useText } from "../text/use-text.ts";

interface PageSheetProps {
  chat: Chat;
  what: "page" | "selection";
  onAttach: (draft: AttachmentDraft) => Promise<boolean>;
  onClose: () => void;
}

export function PageSheet({ chat, what, onAttach, onClose }: PageSheetProps) {
  const text = useText();
  const words = text.attach;
  const { send } = chat;
  const [draft, setDraft] = useState<AttachmentDraft | null>(null);
  useEffect(() => {
    let isCurrent = true;
    void send("capturePage", { what }).then((captured) => {
      if (!isCurrent) return;
      // Why not has been said by then.
      if (captured === REFUSED) onClose();
      else setDraft(captured.draft);
    });
    return () => {
      isCurrent = false;
    };
  }, [send, what, onClose]);
  const attach = async () => {
    if (draft !== null && (await onAttach(draft))) onClose();
  };
  return (
    <Sheet
      testId="page-sheet"
      title={draft?.name ?? words[what]}
      hint={words.preview}
      onClose={onClose}
      actions={
        <>
          <Button weight="quiet" onClick={onClose}>{text.common.cancel}</Button>
          <Button weight="primary" data-testid="page-attach" disabled={draft === null} onClick={() => void attach()}>{words.attachIt}</Button>
        </>
      }
    >
      {draft === null ? <Spinner /> : <CodeBlock code={draft.text ?? ""} wraps />}
    </Sheet>
  );
}
