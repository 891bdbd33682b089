/** Says that nothing will be kept: the browser offers no storage here. */
import { useText } from "../text/use-text.ts";

export function MemoryNotice() {
  const text = useText();
  return <aside data-wash aria-label={text.header.storage} className="shrink-0 bg-warn-wash px-3 py-1 text-xs text-warn">{text.header.memoryOnly}</aside>;
}
