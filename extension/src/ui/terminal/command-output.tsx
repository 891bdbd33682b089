/** What a command printed, or prints; the box follows its end unless the person scrolled away from it. */
import { useRef } from "react";
import type { CommandView } from "../../agent/commands.ts";
import { formatBytes } from "../../lib/format-bytes.ts";
import { useFollowEnd } from "../common/use-follow-end.ts";
import { useText } from "../text/use-text.ts";
import { AnsiText } from "./ansi-text.tsx";

export function CommandOutput({ command }: { command: CommandView }) {
  const text = useText();
  const box = useRef<HTMLPreElement>(null);
  useFollowEnd(box);
  if (command.output === "") return <p className="px-2.5 py-2 text-xs text-soft">{command.state === "running" ? text.terminal.silent : text.terminal.printedNothing}</p>;
  return (
    // Scrolled by keys as well, so it can have the focus.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <pre ref={box} tabIndex={0} dir="ltr" role="log" aria-live="off" aria-label={text.terminal.output} data-testid="command-output" className="max-h-96 overflow-auto rounded-b-lg bg-sunken px-2.5 py-2 text-xs break-words whitespace-pre-wrap">
      {command.skippedBytes > 0 && <span className="text-soft italic">{text.tool.skipped(formatBytes(command.skippedBytes, text.language.tag))}{"\n"}</span>}
      <AnsiText output={command.output} />
    </pre>
  );
}
