/** The hunks of one file, one under the other; long lines wrap so that nothing hides beyond the edge at 360 px. */
import { useText } from "../text/use-text.ts";
import { DiffLine } from "./diff-line.tsx";
import { type Hunk, numberLines } from "./hunk.ts";

interface DiffViewProps {
  path: string;
  hunks: Hunk[];
}

export function DiffView({ path, hunks }: DiffViewProps) {
  const text = useText();
  const last = hunks.at(-1);
  const digits = String(last ? Math.max(last.old_start + last.old_lines, last.new_start + last.new_lines) : 1).length;
  return (
    <section aria-label={text.diff.label(path)} className="bg-canvas font-mono text-xs">
      {hunks.map((hunk, index) => (
        <div key={hunk.id} className={index > 0 ? "border-t border-dashed border-line" : ""}>
          {numberLines(hunk).map((line) => (
            <DiffLine key={line.place} line={line} digits={digits} />
          ))}
        </div>
      ))}
    </section>
  );
}
