/**
 * Where the person writes. Enter sends, Shift+Enter starts a line, Escape stops the agent.
 *
 * While a turn runs, Enter queues for its end and Ctrl or Cmd with Enter steers: said at the next step.
 */
import { SquareSlash } from "lucide-react";
import { type ClipboardEvent, type KeyboardEvent, memo, type ReactNode, useLayoutEffect, useMemo, useState } from "react";
import type { QueueKind } from "../../agent/events.ts";
import type { SessionStatus } from "../../agent/session-view.ts";
import { AttachMenu } from "../attach/attach-menu.tsx";
import { AttachmentList } from "../attach/attachment-list.tsx";
import type { Attachments } from "../attach/use-attachments.ts";
import { isMac } from "../common/is-mac.ts";
import { IconButton } from "../common/icon-button.tsx";
import { useSteady } from "../common/use-steady.ts";
import type { PaletteCommand } from "../palette/palette-entries.ts";
import { PaletteList } from "../palette/palette-list.tsx";
import { usePalette } from "../palette/use-palette.ts";
import { useText } from "../text/use-text.ts";
import { changeDraft, readDraft, restOf, useDraftText } from "./drafts.ts";
import { SendButtons } from "./send-buttons.tsx";
import { useGrowing } from "./use-growing.ts";

interface ComposerProps {
  session: string | null;
  status: SessionStatus;
  stopping: boolean;
  /** Why nothing can be sent, or null. */
  blocked: string | null;
  /** Resolves to false where the message was not taken: it stays in the box. */
  onSend: (message: string, attachments: readonly string[]) => Promise<boolean>;
  onQueue: (message: string, kind: QueueKind, attachments: readonly string[]) => Promise<boolean>;
  onStop: () => void;
  /** At the lower left: the mode. */
  children: ReactNode;
  /** What goes along with the message. */
  attachments?: Attachments;
  onPage?: ((what: "page" | "selection") => void) | null;
  commands?: readonly PaletteCommand[];
  /** At the lower right, before the buttons: how full the window is. */
  meter?: ReactNode;
}

const NONE: readonly PaletteCommand[] = [];

/** Nobody reads or changes so much in a box of eight lines: it goes beside the message, where it can be looked at and taken away. */
const LONG_PASTE = 20_000;

/** The composer that went a moment ago had the focus. */
let wasFocused = false;

/** Drawn again for what is typed and for what it is given, not for each word of an answer that streams in. */
export const Composer = memo(function Composer({ session, status, stopping, blocked, onSend, onQueue, onStop, attachments, onPage, commands = NONE, children, meter }: ComposerProps) {
  const text = useText();
  const draft = useDraftText(session);
  const [sending, setSending] = useState(false);
  const box = useGrowing(draft);
  // The first message begins a session, and another composer stands here: whoever was writing goes on writing.
  useLayoutEffect(() => {
    const { current: field } = box;
    if (wasFocused) field?.focus({ preventScroll: true });
    wasFocused = false;
    return () => {
      wasFocused = field?.closest("[data-region]")?.contains(document.activeElement) ?? false;
    };
  }, [box]);
  const busy = status === "running" || status === "needs_you";
  const along = (attachments?.list ?? []).map(({ id }) => id);
  // With something beside it the message itself may be empty.
  const canSend = (draft.trim() !== "" || along.length > 0) && blocked === null && !sending;

  const setDraft = (words: string) => changeDraft(session, { text: words });
  const palette = usePalette(draft, setDraft, commands);
  const hand = async (over: (message: string) => Promise<boolean>) => {
    if (!canSend) return;
    setSending(true);
    const sent = draft.trim();
    const taken = await over(sent);
    setSending(false);
    if (!taken) return;
    setDraft(restOf(readDraft(session).text, sent));
    attachments?.sent(along);
  };
  const say = useSteady(() => void hand((message) => onSend(message, along)));
  const queue = useSteady((kind: QueueKind) => void hand((message) => onQueue(message, kind, along)));
  const onKeyDown = (event: KeyboardEvent) => {
    if (palette.onKeyDown(event)) return;
    // Enter that ends the writing of a Chinese or Japanese word is no Enter of ours.
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    if (busy) queue(event.ctrlKey || event.metaKey ? "steer" : "queue");
    else say();
  };

  const openPalette = useSteady(() => {
    palette.write(draft.trim() === "" ? "/" : draft);
    box.current?.focus();
  });
  const onFiles = attachments?.addFiles;
  const isOffered = canSend && !palette.entries?.length;
  // Not drawn again for a key: what stands between a key and its picture is the words alone.
  const tools = useMemo(
    () => (
      <>
        {onFiles && <AttachMenu onFiles={onFiles} onPage={onPage ?? null} />}
        <IconButton className="size-6" label={text.work.paletteHint} data-testid="palette-open" icon={<SquareSlash size={14} />} onClick={openPalette} />
        {children}
        <span className="flex-1" />
        {meter}
        <SendButtons busy={busy} stopping={stopping} canSend={isOffered} onSend={say} onQueue={queue} onStop={onStop} />
      </>
    ),
    [onFiles, onPage, text, openPalette, children, meter, busy, stopping, isOffered, say, queue, onStop],
  );

  const onPaste = (event: ClipboardEvent) => {
    if (!attachments) return;
    const files = [...event.clipboardData.files];
    const words = event.clipboardData.getData("text/plain");
    if (words.length >= LONG_PASTE) {
      event.preventDefault();
      void attachments.add({ kind: "file", name: text.attach.pasted, mediaType: "text/plain", source: null, text: words });
      return;
    }
    // Cells of a table and words of a document bring their picture along: the words are what was meant.
    if (files.length === 0 || words.trim() !== "") return;
    event.preventDefault();
    void attachments.addFiles(files);
  };

  return (
    <div data-region className="relative rounded-lg border border-edge bg-surface focus-within:border-accent">
      {palette.entries && <PaletteList id={palette.id} entries={palette.entries} at={palette.at} onPoint={palette.point} onChoose={palette.choose} />}
      {attachments && attachments.list.length > 0 && <div className="max-h-28 overflow-y-auto px-2 pt-2"><AttachmentList attachments={attachments.list} onRemove={attachments.remove} /></div>}
      <textarea
        ref={box}
        data-testid="composer-input"
        data-said
        aria-label={text.composer.landmark}
        placeholder={blocked ?? (busy ? (isMac() ? text.dock.hintMac : text.dock.hint) : text.composer.placeholders[status])}
        value={draft}
        rows={1}
        aria-autocomplete="list"
        aria-haspopup="listbox"
        aria-controls={palette.entries === null ? undefined : palette.id}
        aria-activedescendant={palette.activeOption}
        onChange={(event) => palette.write(event.target.value)}
        onKeyDown={onKeyDown}
        onPaste={onPaste}
        className="field-sizing-content block max-h-48 min-h-10 w-full resize-none bg-transparent px-3 pt-2.5 pb-1 text-base outline-none"
      />
      <div className="flex items-center gap-1 px-1.5 pb-1.5 tiny:flex-wrap">{tools}</div>
    </div>
  );
});
