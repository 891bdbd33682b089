/** What an attachment holds: text as it is, a picture as a picture. */
import { CodeBlock } from "../common/code-block.tsx";
import { useText } from "../text/use-text.ts";
import type { AttachmentContent } from "../../wire/attachment.ts";

interface AttachmentViewProps {
  mediaType: string;
  name: string;
  content: AttachmentContent;
}

/** Pictures that a browser draws without running anything that is in them. */
const DRAWN = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

export function AttachmentView({ mediaType, name, content }: AttachmentViewProps) {
  const text = useText();
  if (content.kind === "text") return <CodeBlock code={content.text} wraps />;
  if (!DRAWN.has(mediaType)) return <p className="text-xs text-soft">{text.attach.noPreview}</p>;
  return <img src={`data:${mediaType};base64,${content.base64}`} alt={name} className="mx-auto max-h-96 max-w-full rounded-md border border-line" />;
}
