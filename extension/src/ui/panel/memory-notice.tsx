/** Says that nothing will be kept: the browser offers no storage here. */
import { useText } from "../text/use-text.ts";

export function MemoryNotice() {
  const text = useText();
  return <p data-wash className="shrink-0 bg-warn-wash px-3 py-1 text-xs text-warn">{text.header.memoryOnly}</p>;
}
