/** What a call is about, on what room there is. Of a path the end says most, so its folder is what gets cut. */
import { VisibleText } from "../common/visible-text.tsx";

/** Longer names are cut as well: the row must keep room for the rest. */
const NAME_SHOWN = 28;

export function MainArgument({ value }: { value: string }) {
  const cut = /\s/u.test(value) ? -1 : value.lastIndexOf("/", value.length - 2);
  const name = value.slice(cut + 1);
  if (cut < 0 || name.length > NAME_SHOWN) return <span className="min-w-0 flex-1 truncate font-mono text-soft"><VisibleText value={value} oneLine /></span>;
  return (
    <span className="flex min-w-0 flex-1 font-mono text-soft" title={value}>
      <span className="truncate"><VisibleText value={value.slice(0, cut)} oneLine /></span>
      <span className="shrink-0">/<VisibleText value={name} oneLine /></span>
    </span>
  );
}
