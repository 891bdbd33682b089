/** What is beside the message that is being written: added by the person, or brought from a page; kept while they look at other sessions. */
import { useCallback, useMemo } from "react";
import type { AttachmentDraft } from "../../app/views.ts";
import type { Attachment } from "../../wire/attachment.ts";
import type { Chat } from "../chat/chat.ts";
import { changeDraft, readDraft, useDraftAttachments } from "../chat/drafts.ts";
import { useSteady } from "../common/use-steady.ts";
import { REFUSED } from "../panel/use-intents.ts";
import { useText } from "../text/use-text.ts";
import { readFile } from "./read-file.ts";

export interface Attachments {
  list: readonly Attachment[];
  /** Resolves to false where it was not taken. */
  add(draft: AttachmentDraft): Promise<boolean>;
  addFiles(files: readonly File[]): Promise<void>;
  remove(attachment: Attachment): void;
  /** These went along with a message. */
  sent(along: readonly string[]): void;
}

export function useAttachments({ session, send, show }: Chat): Attachments {
  const text = useText();
  const list = useDraftAttachments(session);
  const change = useCallback((next: (list: readonly Attachment[]) => readonly Attachment[]) => changeDraft(session, { attachments: next(readDraft(session).attachments) }), [session]);
  const add = useCallback(
    async (draft: AttachmentDraft) => {
      const added = await send("addAttachment", { session, draft });
      if (added === REFUSED) return false;
      change((before) => [...before, added.attachment]);
      return true;
    },
    [session, send, change],
  );
  const addFiles = useSteady(async (files: readonly File[]) => {
    for (const file of files) {
      const draft = await readFile(file).catch(() => "unread" as const);
      if (draft === null) show({ tone: "bad", message: text.attach.tooLarge(file.name) });
      // A folder that is let go here comes as a file, too.
      else if (draft === "unread") show({ tone: "bad", message: text.attach.unread(file.name) });
      else await add(draft);
    }
  });
  const remove = useSteady((attachment: Attachment) => {
    change((before) => before.filter(({ id }) => id !== attachment.id));
    void send("removeAttachment", { attachment: attachment.id });
  });
  const sent = useCallback((along: readonly string[]) => change((before) => before.filter(({ id }) => !along.includes(id))), [change]);
  // The same object while nothing of it changed: the message box is not drawn again for each picture of an answer.
  return useMemo(() => ({ list, add, addFiles, remove, sent }), [list, add, addFiles, remove, sent]);
}
