/** What is beside a message. Without a way to take one away, it was sent. */
import type { Attachment } from "../../wire/attachment.ts";
import { useChat } from "../chat/chat.ts";
import { useText } from "../text/use-text.ts";
import { AttachmentChip } from "./attachment-chip.tsx";

interface AttachmentListProps {
  attachments: readonly Attachment[];
  onRemove?: (attachment: Attachment) => void;
}

export function AttachmentList({ attachments, onRemove }: AttachmentListProps) {
  const text = useText();
  const chat = useChat();
  if (attachments.length === 0) return null;
  return (
    <ul aria-label={text.attach.label} className={`flex max-w-full flex-wrap gap-1 ${onRemove ? "" : "justify-end"}`}>
      {attachments.map((attachment) => (
        <li key={attachment.id} className="max-w-full">
          <AttachmentChip attachment={attachment} onShow={chat ? () => chat.openSheet({ kind: "attachment", attachment: attachment.id }) : undefined} onRemove={onRemove && (() => onRemove(attachment))} />
        </li>
      ))}
    </ul>
  );
}
