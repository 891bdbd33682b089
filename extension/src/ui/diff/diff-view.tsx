/** The hunks of one file, one under the other; long lines wrap so that nothing hides beyond the edge at 360 px. */
import { useText } from "../text/use-text.ts";
import { HunkView } from "./hunk-view.tsx";
import type { Hunk } from "./hunk.ts";

/** Where each change can be left out. `onToggle` is the same function from one picture to the next. */
export interface HunkTicks {
  of(hunk: Hunk): { chosen: boolean; number: number; count: number };
  onToggle: (hunk: string) => void;
}

interface DiffViewProps {
  path: string;
  hunks: readonly Hunk[];
  ticks?: HunkTicks | undefined;
}

export function DiffView({ path, hunks, ticks }: DiffViewProps) {
  const text = useText();
  const last = hunks.at(-1);
  const digits = String(last ? Math.max(last.old_start + last.old_lines, last.new_start + last.new_lines) : 1).length;
  return (
    <section aria-label={text.diff.label(path)} className="bg-canvas font-mono text-xs">
      {hunks.map((hunk, index) => (
        <HunkView key={hunk.id} hunk={hunk} digits={digits} divided={index > 0 && !ticks} {...(ticks ? { ...ticks.of(hunk), onToggle: ticks.onToggle } : {})} />
      ))}
    </section>
  );
}
