/** What a command prints, as it prints it; follows the end unless the person scrolled away from it. */
import { useMemo, useRef } from "react";
import { formatBytes } from "../../lib/format-bytes.ts";
import { type AnsiColour, parseAnsi } from "../../lib/parse-ansi.ts";
import { classNames } from "../common/class-names.ts";
import { useFollowEnd } from "../common/use-follow-end.ts";
import { VisibleText } from "../common/visible-text.tsx";
import { useText } from "../text/use-text.ts";

const look: Record<AnsiColour, string> = { red: "text-bad", green: "text-good", yellow: "text-warn", blue: "text-accent", magenta: "text-accent", cyan: "text-accent", dim: "text-soft" };

interface ToolOutputProps {
  output: string;
  skippedBytes: number;
}

export function ToolOutput({ output, skippedBytes }: ToolOutputProps) {
  const text = useText();
  const box = useRef<HTMLPreElement>(null);
  const runs = useMemo(() => parseAnsi(output), [output]);
  useFollowEnd(box);
  return (
    <pre ref={box} data-testid="tool-output" className="max-h-64 overflow-auto rounded-md border border-line bg-sunken px-2.5 py-2 text-xs break-words whitespace-pre-wrap">
      {skippedBytes > 0 && <span className="text-soft italic">{text.tool.skipped(formatBytes(skippedBytes, text.language.tag))}{"\n"}</span>}
      {runs.map((run) => (
        <span key={run.at} className={classNames(run.colour && look[run.colour], run.bold && "font-semibold")}>
          <VisibleText value={run.text} />
        </span>
      ))}
    </pre>
  );
}
