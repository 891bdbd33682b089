// How large attachments may be, and the reason of each number.

/** 128 000 tokens of plain text: more fills any window. The agent's own tools read large files in parts. */
export const TEXT_BYTES = 512 * 1024;

/** Anthropic takes 5 MB for a picture as base64, the smallest limit of all. */
export const IMAGE_BYTES = 3_750_000;

/** Of a tool's result, as base64: the same limit to the byte, which the host keeps, too. */
export const RESULT_PICTURE_LENGTH = 5 * 1024 * 1024;

/** Google takes 20 MB for a whole request as base64, and the conversation needs some of it. */
export const PDF_BYTES = 12 * 1024 * 1024;

/** What providers look at: a picture is scaled to about this, a page of a PDF is text and picture. */
export const IMAGE_TOKENS = 1_600;
export const PDF_PAGE_TOKENS = 2_000;

/** All of one message: Google takes 20 MB for a whole request as base64, which is a third larger than the bytes. */
export const MESSAGE_BYTES = 14 * 1024 * 1024;

/** Of one message. */
export const MOST_ATTACHMENTS = 20;

/** One that no message took along by then is swept away. */
export const UNSENT_MS = 24 * 60 * 60_000;
