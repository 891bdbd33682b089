/** What is beside the message that is being written: added by the person, or brought from a page; kept while they look at other sessions. */
import { useCallback, useEffect, useMemo, useState } from "react";
import type { AttachmentDraft, IncomingAsk } from "../../app/views.ts";
import type { Attachment } from "../../wire/attachment.ts";
import type { Chat } from "../chat/chat.ts";
import { faultRefusal } from "../common/refusal-words.ts";
import { useSteady } from "../common/use-steady.ts";
import { REFUSED } from "../panel/use-intents.ts";
import { useText } from "../text/use-text.ts";
import { readFile } from "./read-file.ts";

const kept = new Map<string, readonly Attachment[]>();
const NONE: readonly Attachment[] = [];
const keyOf = (session: string | null) => session ?? "";

export interface Attachments {
  list: readonly Attachment[];
  /** Resolves to false where it was not taken. */
  add(draft: AttachmentDraft): Promise<boolean>;
  addFiles(files: readonly File[]): Promise<void>;
  remove(attachment: Attachment): void;
  /** They went along with a message. */
  sent(): void;
}

export function useAttachments({ session, send, show }: Chat, incoming: readonly IncomingAsk[]): Attachments {
  const text = useText();
  const [all, setAll] = useState<{ readonly key: string; readonly list: readonly Attachment[] }>(() => ({ key: keyOf(session), list: kept.get(keyOf(session)) ?? NONE }));
  const list = all.key === keyOf(session) ? all.list : (kept.get(keyOf(session)) ?? NONE);
  const change = useCallback(
    (next: (list: readonly Attachment[]) => readonly Attachment[]) => {
      const key = keyOf(session);
      const changed = next(kept.get(key) ?? []);
      kept.set(key, changed);
      setAll({ key, list: changed });
    },
    [session],
  );
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
      const draft = await readFile(file).catch(() => null);
      if (draft === null) show({ tone: "bad", message: text.attach.tooLarge(file.name) });
      else await add(draft);
    }
  });
  const remove = useSteady((attachment: Attachment) => {
    change((before) => before.filter(({ id }) => id !== attachment.id));
    void send("removeAttachment", { attachment: attachment.id });
  });
  const first = incoming[0];
  useEffect(() => {
    if (first === undefined) return;
    change((before) => [...before, ...first.attachments.filter(({ id }) => !before.some((each) => each.id === id))]);
    if (first.problem !== null) show({ tone: "bad", ...faultRefusal(first.problem, text) });
    if (first.profile !== null) void send("selectProfile", { session, profile: first.profile });
    void send("takeIncoming", { ask: first.id });
    // Each is taken once, by its id, whichever session is shown when it comes.
    // oxlint-disable-next-line react/exhaustive-deps, react/exhaustive-effect-dependencies
  }, [first?.id]);
  const sent = useCallback(() => change(() => []), [change]);
  // The same object while nothing of it changed: the message box is not drawn again for each picture of an answer.
  return useMemo(() => ({ list, add, addFiles, remove, sent }), [list, add, addFiles, remove, sent]);
}
