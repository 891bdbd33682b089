/** An attachment, looked at: what was sent, or will be. */
import { useEffect, useState } from "react";
import type { Intents } from "../../app/bus.ts";
import { formatCount } from "../../lib/format-count.ts";
import type { Chat } from "../chat/chat.ts";
import { Sheet } from "../common/sheet.tsx";
import { Spinner } from "../common/spinner.tsx";
import { REFUSED } from "../panel/use-intents.ts";
import { useText } from "../text/use-text.ts";
import { AttachmentView } from "./attachment-view.tsx";

interface AttachmentSheetProps {
  chat: Chat;
  attachment: string;
  onClose: () => void;
}

export function AttachmentSheet({ chat, attachment, onClose }: AttachmentSheetProps) {
  const text = useText();
  const words = text.attach;
  const { send } = chat;
  const [read, setRead] = useState<Intents["readAttachment"]["result"] | null | "gone">(null);
  useEffect(() => {
    let isCurrent = true;
    void send("readAttachment", { attachment }).then((found) => isCurrent && setRead(found === REFUSED || found === null ? "gone" : found));
    return () => {
      isCurrent = false;
    };
  }, [send, attachment]);
  if (read === null || read === "gone") return <Sheet testId="attachment-sheet" title={words.label} onClose={onClose}>{read === null ? <Spinner /> : <p className="text-xs text-soft">{words.gone}</p>}</Sheet>;
  const { name, tokens, source, mediaType } = read.attachment;
  return (
    <Sheet testId="attachment-sheet" title={name} hint={[words.tokens(formatCount(tokens, text.language.tag)), source].filter(Boolean).join(" · ")} onClose={onClose}>
      <AttachmentView mediaType={mediaType} name={name} content={read.content} />
    </Sheet>
  );
}
