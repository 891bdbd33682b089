/** A terminal's output as text: its colours are ours, what was overwritten is gone, and nothing invisible hides in it. */
import { memo, useMemo } from "react";
import { type AnsiColour, parseAnsi } from "../../lib/parse-ansi.ts";
import { classNames } from "../common/class-names.ts";
import { VisibleText } from "../common/visible-text.tsx";

const look: Record<AnsiColour, string> = { red: "text-bad", green: "text-good", yellow: "text-warn", blue: "text-accent", magenta: "text-accent", cyan: "text-accent", dim: "text-soft" };

export const AnsiText = memo(function AnsiText({ output }: { output: string }) {
  const runs = useMemo(() => parseAnsi(output), [output]);
  return runs.map((run) => (
    <span key={run.at} className={classNames(run.colour && look[run.colour], run.bold && "font-semibold")}>
      <VisibleText value={run.text} />
    </span>
  ));
});
