/** One thing beside a message: what it is, where it comes from, what it costs; a click shows it, the cross takes it away. */
import { FileText, Globe, Image, TextSelect, X } from "lucide-react";
import type { ReactNode } from "react";
import type { Attachment, AttachmentKind } from "../../wire/attachment.ts";
import { formatBytes } from "../../lib/format-bytes.ts";
import { VisibleText } from "../common/visible-text.tsx";
import { useText } from "../text/use-text.ts";

const icons: Record<AttachmentKind, ReactNode> = {
  file: <FileText aria-hidden size={12} />,
  image: <Image aria-hidden size={12} />,
  page: <Globe aria-hidden size={12} />,
  selection: <TextSelect aria-hidden size={12} />,
};

interface AttachmentChipProps {
  attachment: Attachment;
  onShow?: (() => void) | undefined;
  onRemove?: (() => void) | undefined;
}

export function AttachmentChip({ attachment, onShow, onRemove }: AttachmentChipProps) {
  const text = useText();
  const words = text.attach;
  const { kind, name, bytes, source } = attachment;
  const host = source !== null && URL.canParse(source) ? new URL(source).host : null;
  const kindName = words.kinds[kind];
  return (
    <span data-testid="attachment" data-kind={kind} data-wash className="inline-flex max-w-full items-center rounded-md border border-line bg-surface text-2xs">
      <button type="button" title={onShow ? words.show(name) : words.chip(kindName, name, formatBytes(bytes, text.language.tag))} disabled={!onShow} onClick={onShow} className="flex min-w-0 items-center gap-1.5 rounded-md px-1.5 py-0.5 hover:not-disabled:bg-sunken">
        <span className={host === null ? "text-soft" : "text-warn"}>{icons[kind]}</span>
        <span className="sr-only">{kindName}</span>
        <span className="max-w-36 truncate"><VisibleText value={name} oneLine /></span>
        <span className="shrink-0 text-soft">{host === null ? formatBytes(bytes, text.language.tag) : words.from(host)}</span>
      </button>
      {onRemove && <button type="button" aria-label={words.remove(name)} title={words.remove(name)} data-testid="attachment-remove" onClick={onRemove} className="inline-flex size-5 shrink-0 items-center justify-center rounded-md text-soft hover:bg-sunken hover:text-ink"><X size={11} /></button>}
    </span>
  );
}
