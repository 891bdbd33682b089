/** The hunks of one file, one under the other; long lines wrap so that nothing hides beyond the edge at 360 px. */
import { classNames } from "../common/class-names.ts";
import { useText } from "../text/use-text.ts";
import { DiffLine } from "./diff-line.tsx";
import { HunkHead, type HunkTick } from "./hunk-head.tsx";
import { type Hunk, numberLines } from "./hunk.ts";

interface DiffViewProps {
  path: string;
  hunks: readonly Hunk[];
  /** Where each change can be left out: its box. */
  tickOf?: ((hunk: Hunk) => HunkTick) | undefined;
}

export function DiffView({ path, hunks, tickOf }: DiffViewProps) {
  const text = useText();
  const last = hunks.at(-1);
  const digits = String(last ? Math.max(last.old_start + last.old_lines, last.new_start + last.new_lines) : 1).length;
  return (
    <section aria-label={text.diff.label(path)} className="bg-canvas font-mono text-xs">
      {hunks.map((hunk, index) => {
        const tick = tickOf?.(hunk);
        return (
          <div key={hunk.id} className={index > 0 && !tick ? "border-t border-dashed border-line" : ""}>
            {tick && <HunkHead hunk={hunk} tick={tick} />}
            <div className={classNames(tick && !tick.chosen && "line-through decoration-soft/60 grayscale")}>
              {numberLines(hunk).map((line) => (
                <DiffLine key={line.place} line={line} digits={digits} />
              ))}
            </div>
          </div>
        );
      })}
    </section>
  );
}
