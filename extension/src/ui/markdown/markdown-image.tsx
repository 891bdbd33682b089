/** A picture the model asked for. It is never fetched: its address could carry what the model read. */
import { ImageOff } from "lucide-react";
import { useText } from "../text/use-text.ts";

export function MarkdownImage({ address, description }: { address: string; description: string }) {
  const text = useText();
  return (
    <span className="inline-flex items-center gap-1 rounded-sm bg-sunken px-1.5 text-xs text-soft">
      <ImageOff aria-hidden size={12} />
      {text.chat.image(description || address)}
    </span>
  );
}
