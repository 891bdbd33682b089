/** In a conversation that lost its host: one line, and the way to what can be done. */
import { Unplug } from "lucide-react";
import { Button } from "../common/button.tsx";
import { useText } from "../text/use-text.ts";

export function ConnectionBar({ onShow }: { onShow: () => void }) {
  const text = useText();
  return (
    <div data-wash className="flex items-center gap-2 rounded-md bg-bad-wash py-0.5 pe-0.5 ps-2.5 text-xs text-bad">
      <Unplug aria-hidden size={12} className="shrink-0" />
      <span className="min-w-0 flex-1">{text.connection.bar}</span>
      <Button weight="quiet" onClick={onShow}>{text.connection.show}</Button>
    </div>
  );
}
