/** A place in a conversation where it says what was searched for, and the way there. */
import type { SearchHit } from "../../app/views.ts";
import { VisibleText } from "../common/visible-text.tsx";

interface ExcerptProps {
  match: SearchHit["matches"][number];
  onOpen: () => void;
}

export function Excerpt({ match, onOpen }: ExcerptProps) {
  const { excerpt, marks } = match;
  const pieces = marks.flatMap(([begin, end], place) => {
    const from = marks[place - 1]?.[1] ?? 0;
    return [{ from, text: excerpt.slice(from, begin), marked: false }, { from: begin, text: excerpt.slice(begin, end), marked: true }];
  });
  const last = marks.at(-1)?.[1] ?? 0;
  return (
    <button type="button" data-testid="excerpt" onClick={onOpen} className="mx-2 mb-1.5 border-s-2 border-line ps-2 text-start text-2xs text-soft outline-offset-2 hover:border-edge hover:text-ink">
      <span className="line-clamp-2">
        {[...pieces, { from: last, text: excerpt.slice(last), marked: false }].map((piece) => (piece.marked ? <mark key={`m${piece.from}`} className="rounded-sm bg-warn-wash font-medium text-warn">{piece.text}</mark> : <VisibleText key={piece.from} value={piece.text} oneLine />))}
      </span>
    </button>
  );
}
