/** One command: its line, how it ended and how long it took, what it printed, and the way to end it. */
import { ChevronRight, OctagonX } from "lucide-react";
import { memo, useId, useState } from "react";
import type { CommandView } from "../../agent/commands.ts";
import { classNames } from "../common/class-names.ts";
import { CopyButton } from "../common/copy-button.tsx";
import { Elapsed } from "../common/elapsed.tsx";
import { IconButton } from "../common/icon-button.tsx";
import { VisibleText } from "../common/visible-text.tsx";
import { useText } from "../text/use-text.ts";
import { CommandOutput } from "./command-output.tsx";
import { ExitBadge } from "./exit-badge.tsx";
import { lineOf, outcomeOf } from "./outcome-of.ts";

interface CommandBlockProps {
  command: CommandView;
  startsOpen: boolean;
  onKill: (call: string) => void;
}

export const CommandBlock = memo(function CommandBlock({ command, startsOpen, onKill }: CommandBlockProps) {
  const text = useText();
  const bodyId = useId();
  const [opened, setOpened] = useState<boolean | null>(null);
  const open = opened ?? startsOpen;
  const line = lineOf(command);
  return (
    <article aria-label={line} data-testid="command" data-state={outcomeOf(command)} data-call={command.call} className="min-w-0 rounded-lg border border-line bg-surface">
      <div className="flex items-center gap-1 pe-1 tiny:flex-wrap tiny:justify-end">
        <button type="button" aria-expanded={open} aria-controls={open ? bodyId : undefined} onClick={() => setOpened(!open)} className="flex min-h-9 min-w-0 flex-1 tiny:basis-full flex-wrap items-center gap-x-2 gap-y-0.5 px-2.5 py-1.5 text-start">
          <span className="flex min-w-0 flex-1 basis-40 items-start gap-1.5 font-mono text-xs">
            <ChevronRight aria-hidden size={12} className={classNames("mt-1 shrink-0 text-soft transition-transform", open && "rotate-90")} />
            <span className={classNames("min-w-0", open ? "break-words" : "truncate")} dir="ltr"><VisibleText value={line} oneLine /></span>
          </span>
          <span className="flex min-w-0 flex-wrap items-center gap-x-2">
            {command.startedAt !== null && <Elapsed from={command.startedAt} to={command.endedAt} />}
            <ExitBadge command={command} />
          </span>
        </button>
        {command.canKill && <IconButton label={text.terminal.kill} data-testid="command-kill" icon={<OctagonX size={15} className="text-bad" />} onClick={() => onKill(command.call)} />}
        <CopyButton value={command.output} label={text.terminal.copy} />
      </div>
      {open && (
        <div id={bodyId} className="border-t border-line">
          {command.workdir !== "." && <p className="px-2.5 pt-1.5 text-2xs text-soft">{text.terminal.folder} <code dir="ltr">{command.workdir}</code></p>}
          <CommandOutput command={command} />
        </div>
      )}
    </article>
  );
});
