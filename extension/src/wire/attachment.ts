// What a person puts beside a message: the log names it, its content is kept apart from the log.
import { z } from "zod";

/** `page` and `selection` are text of a page, `image` a picture, `file` anything else (text, or a PDF). */
export const attachmentKindSchema = z.enum(["file", "selection", "page", "image"]);
export type AttachmentKind = z.infer<typeof attachmentKindSchema>;

export const attachmentSchema = z.object({
  /** A ULID; its content is found by it. */
  id: z.string().min(1),
  kind: attachmentKindSchema,
  name: z.string(),
  mediaType: z.string(),
  /** Of the content as it was given. */
  bytes: z.number(),
  /** Our estimate of what it costs in a prompt. */
  tokens: z.number(),
  /** The address of the page it is of; null: the person's own. */
  source: z.string().nullable(),
});
export type Attachment = z.infer<typeof attachmentSchema>;

/** The content: text as it is, or bytes as base64. */
export type AttachmentContent = { readonly kind: "text"; readonly text: string } | { readonly kind: "bytes"; readonly base64: string };
