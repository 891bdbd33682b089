/** Over the conversation while files are held over it: let go, they are put beside the message. */
import { Paperclip } from "lucide-react";
import { useText } from "../text/use-text.ts";

export function DropHint() {
  const text = useText();
  return (
    <div data-testid="drop-hint" className="pointer-events-none absolute inset-2 z-30 flex items-center justify-center rounded-lg border-2 border-dashed border-accent bg-surface/85">
      <p className="flex items-center gap-2 rounded-md bg-surface px-4 py-2 font-medium text-accent shadow-float"><Paperclip aria-hidden size={16} />{text.attach.drop}</p>
    </div>
  );
}
