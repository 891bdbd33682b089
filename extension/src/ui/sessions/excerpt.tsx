/** A place in a conversation where it says what was searched for. */
import type { SearchHit } from "../../app/views.ts";
import { VisibleText } from "../common/visible-text.tsx";

export function Excerpt({ match }: { match: SearchHit["matches"][number] }) {
  const { excerpt, marks } = match;
  const pieces = marks.flatMap(([begin, end], place) => {
    const from = marks[place - 1]?.[1] ?? 0;
    return [{ from, text: excerpt.slice(from, begin), marked: false }, { from: begin, text: excerpt.slice(begin, end), marked: true }];
  });
  const last = marks.at(-1)?.[1] ?? 0;
  return (
    <span data-testid="excerpt" className="mt-0.5 line-clamp-2 text-2xs text-soft">
      {[...pieces, { from: last, text: excerpt.slice(last), marked: false }].map((piece) => (piece.marked ? <mark key={`m${piece.from}`} className="rounded-sm bg-warn-wash font-medium text-warn">{piece.text}</mark> : <VisibleText key={piece.from} value={piece.text} oneLine />))}
    </span>
  );
}
