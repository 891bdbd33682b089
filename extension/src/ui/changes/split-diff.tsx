/** The hunks of one file side by side: as it was, as it is. */
import { classNames } from "../common/class-names.ts";
import { VisibleText } from "../common/visible-text.tsx";
import type { Hunk, NumberedLine } from "../diff/hunk.ts";
import { NoteText } from "../diff/note-text.tsx";
import { useText } from "../text/use-text.ts";
import { pairLines } from "./pair-lines.ts";

export function SplitDiff({ path, hunks }: { path: string; hunks: readonly Hunk[] }) {
  const text = useText();
  return (
    <section aria-label={text.diff.label(path)} data-testid="split-diff" dir="ltr" className="bg-canvas font-mono text-xs">
      {hunks.map((hunk, index) => (
        <div key={hunk.id} className={index > 0 ? "border-t border-dashed border-line" : ""}>
          {pairLines(hunk).map((pair) => (
            <div key={pair.place} className="grid grid-cols-2">
              <Side line={pair.before} sign="-" look="bg-bad-wash" changed={pair.before?.kind === "removed"} />
              <Side line={pair.after} sign="+" look="bg-good-wash" changed={pair.after?.kind === "added"} />
            </div>
          ))}
        </div>
      ))}
    </section>
  );
}

interface SideProps {
  line: NumberedLine | null;
  sign: string;
  look: string;
  changed: boolean;
}

function Side({ line, sign, look, changed }: SideProps) {
  if (line === null) return <div className="bg-sunken" />;
  return (
    <div data-line={line.kind} className={classNames("flex min-w-0", changed && look)}>
      <span aria-hidden className="w-10 shrink-0 px-1.5 text-right text-2xs leading-[inherit] text-soft tabular-nums select-none">{line.number}</span>
      <span className="w-4 shrink-0 text-center text-soft select-none">{changed ? sign : " "}</span>
      <span className="min-w-0 flex-1 pr-2 break-words whitespace-pre-wrap">{line.kind === "note" ? <NoteText value={line.text} /> : <VisibleText value={line.text} />}</span>
    </div>
  );
}
