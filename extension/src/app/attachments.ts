// What a person puts beside a message: judged when it is added, kept beside the log, taken along by the message that names it.
import type { Attachment, AttachmentContent } from "../wire/attachment.ts";
import { attachmentKindSchema } from "../wire/attachment.ts";
import { estimateTokens } from "../lib/estimate-tokens.ts";
import { formatBytes } from "../lib/format-bytes.ts";
import { asText, fromBase64, sniffType } from "../lib/sniff-type.ts";
import type { ModelFacts } from "../llm/model-facts.ts";
import type { Storage } from "../storage/storage.ts";
import { IMAGE_BYTES, IMAGE_TOKENS, MESSAGE_BYTES, MOST_ATTACHMENTS, PDF_BYTES, PDF_PAGE_TOKENS, RESULT_PICTURE_LENGTH, TEXT_BYTES, UNSENT_MS } from "./attachment-limits.ts";
import { IntentFault } from "./intent-fault.ts";
import type { AttachmentDraft } from "./views.ts";

export interface AttachmentsParts {
  readonly storage: Storage;
  readonly newId: () => string;
  readonly now: () => number;
}

export class Attachments {
  readonly #parts: AttachmentsParts;

  constructor(parts: AttachmentsParts) {
    this.#parts = parts;
  }

  /** `model` is what the session's model takes, and its name. */
  async add(draft: AttachmentDraft, model: { readonly label: string; readonly facts: ModelFacts }): Promise<Attachment> {
    const { attachment, content } = read(draft, this.#parts.newId());
    if (attachment.mediaType.startsWith("image/") && model.facts.takes.images === false) throw notTaken(model.label, "pictures");
    if (attachment.mediaType === "application/pdf" && model.facts.takes.pdfs === false) throw notTaken(model.label, "PDFs");
    await this.#parts.storage.saveContent({ id: attachment.id, session: "", at: this.#parts.now(), attachment, content });
    return attachment;
  }

  async read(id: string): Promise<{ attachment: Attachment; content: AttachmentContent }> {
    const row = await this.#parts.storage.readContent(id);
    if (row === null) throw gone();
    return { attachment: row.attachment, content: row.content };
  }

  /** Of the prompt; null: it is not there any more. */
  async content(id: string): Promise<AttachmentContent | null> {
    return (await this.#parts.storage.readContent(id))?.content ?? null;
  }

  async remove(id: string): Promise<void> {
    const row = await this.#parts.storage.readContent(id);
    if (row !== null && row.session === "") await this.#parts.storage.deleteContent(id);
  }

  /** A message takes them along: from now on they are kept as long as its session. */
  async take(session: string, ids: readonly string[] = []): Promise<readonly Attachment[]> {
    if (ids.length > MOST_ATTACHMENTS) {
      throw refused("too_many", `A message takes ${MOST_ATTACHMENTS} attachments at most; these are ${ids.length}.`, "Send some of them with the next message.");
    }
    const rows = await Promise.all([...new Set(ids)].map((id) => this.#parts.storage.readContent(id)));
    const found = rows.flatMap((row) => (row === null ? [] : [row]));
    if (found.length < rows.length) throw gone();
    const bytes = found.reduce((sum, { attachment }) => sum + attachment.bytes, 0);
    if (bytes > MESSAGE_BYTES) throw refused("too_large", `These attachments have ${formatBytes(bytes, "en")} together; a message may have ${formatBytes(MESSAGE_BYTES, "en")}.`, "Send some of them with the next message.");
    for (const row of found) if (row.session !== session) await this.#parts.storage.saveContent({ ...row, session });
    return found.map(({ attachment }) => attachment);
  }

  /** Pictures that a tool gave a session: kept as long as it is. What is no picture, or larger than any model takes, is left out. */
  async keep(session: string, name: string, pictures: readonly string[]): Promise<readonly Attachment[]> {
    const kept: Attachment[] = [];
    for (const base64 of pictures) {
      const bytes = base64.length > RESULT_PICTURE_LENGTH ? null : fromBase64(base64);
      const mediaType = bytes === null ? null : sniffType(bytes);
      if (bytes === null || mediaType === null || !mediaType.startsWith("image/")) continue;
      const attachment: Attachment = { id: this.#parts.newId(), kind: "image", name: name.slice(0, 200), mediaType, bytes: bytes.length, tokens: IMAGE_TOKENS, source: null };
      await this.#parts.storage.saveContent({ id: attachment.id, session, at: this.#parts.now(), attachment, content: { kind: "bytes", base64 } });
      kept.push(attachment);
    }
    return kept;
  }

  /** Those that were added and never sent. `kept`: still offered to a composer. */
  async sweep(kept: ReadonlySet<string>): Promise<void> {
    for (const { id, at } of await this.#parts.storage.listContents("")) {
      if (!kept.has(id) && this.#parts.now() - at > UNSENT_MS) await this.#parts.storage.deleteContent(id);
    }
  }
}

function read(draft: AttachmentDraft, id: string): { attachment: Attachment; content: AttachmentContent } {
  const kind = attachmentKindSchema.safeParse(draft.kind);
  if (!kind.success) throw refused("bad_attachment", "This cannot be attached.", "Attach a file, a picture, or a part of a page.");
  const name = draft.name.trim() === "" ? kind.data : draft.name.trim().slice(0, 200);
  const bytes = draft.text === undefined ? fromBase64(draft.base64 ?? "") : new TextEncoder().encode(draft.text);
  if (bytes === null) throw refused("bad_attachment", `\`${name}\` could not be read.`, "Choose it again.");
  if (bytes.length === 0) throw refused("empty_attachment", `\`${name}\` is empty.`, "There is nothing in it that could be sent.");
  const mediaType = draft.text === undefined ? sniffType(bytes) : draft.mediaType.startsWith("text/") ? draft.mediaType : "text/plain";
  const source = draft.source === null || !URL.canParse(draft.source) ? null : draft.source;
  const attachment = (type: string, tokens: number): Attachment => ({ id, kind: kind.data, name, mediaType: type, bytes: bytes.length, tokens, source });
  if (mediaType === null) {
    throw refused("not_readable", `\`${name}\` is neither text nor a picture nor a PDF.`, "PNG, JPEG, GIF, WebP, PDF and text in UTF-8 can be attached.");
  }
  if (mediaType === "application/pdf") {
    mustFit(name, bytes.length, PDF_BYTES, "a PDF");
    return { attachment: attachment(mediaType, pagesOf(bytes) * PDF_PAGE_TOKENS), content: { kind: "bytes", base64: draft.base64 ?? "" } };
  }
  if (mediaType.startsWith("image/")) {
    mustFit(name, bytes.length, IMAGE_BYTES, "a picture");
    return { attachment: attachment(mediaType, IMAGE_TOKENS), content: { kind: "bytes", base64: draft.base64 ?? "" } };
  }
  mustFit(name, bytes.length, TEXT_BYTES, "text");
  const text = draft.text ?? asText(bytes) ?? "";
  return { attachment: attachment(mediaType, estimateTokens(text)), content: { kind: "text", text } };
}

/** Pages are named in what a PDF is made of; where that is packed, its size must do. */
function pagesOf(bytes: Uint8Array): number {
  const named = new TextDecoder("latin1").decode(bytes).match(/\/Type\s*\/Page\b(?!s)/g)?.length ?? 0;
  return Math.max(1, named, named === 0 ? Math.ceil(bytes.length / 75_000) : 0);
}

function mustFit(name: string, bytes: number, most: number, what: string): void {
  if (bytes <= most) return;
  const hint = what === "text" ? "Put it into the workspace: the agent reads large files in parts." : "Make it smaller, or put it into the workspace.";
  throw refused("too_large", `\`${name}\` has ${formatBytes(bytes, "en")}; ${what} may have ${formatBytes(most, "en")}.`, hint);
}

function notTaken(label: string, what: string): IntentFault {
  return refused("not_taken", `${label} takes no ${what}.`, "Choose a model that does, or attach it as text.");
}

function gone(): IntentFault {
  return refused("no_attachment", "This attachment is not there any more.", "Attach it again.");
}

function refused(code: string, message: string, hint: string): IntentFault {
  return new IntentFault({ code, message, hint, retryable: false });
}
