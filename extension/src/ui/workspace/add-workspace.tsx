/** The way to one more folder: the system's dialog, or where there is none, the command. */
import { FolderOpen } from "lucide-react";
import type { ReactNode } from "react";
import { Button } from "../common/button.tsx";
import { CodedText } from "../common/coded-text.tsx";
import { CommandLine } from "../common/command-line.tsx";
import { Spinner } from "../common/spinner.tsx";
import { useText } from "../text/use-text.ts";
import { usePickWorkspace } from "./use-pick-workspace.ts";

interface AddWorkspaceProps {
  weight?: "primary" | "plain";
  /** Another way, as long as the dialog did not fail and named it itself. */
  children?: ReactNode;
}

export function AddWorkspace({ weight = "plain", children }: AddWorkspaceProps) {
  const text = useText();
  const words = text.workspace;
  const { isOpen, unavailable, pick } = usePickWorkspace();
  return (
    <div className="flex flex-col gap-2">
      <div><Button weight={weight} data-testid="workspace-pick" icon={<FolderOpen aria-hidden size={14} />} disabled={isOpen} onClick={pick}>{words.pick}</Button></div>
      {isOpen && <output className="flex items-start gap-2 text-xs text-soft"><Spinner />{words.dialogOpen}</output>}
      {!unavailable && children}
      {unavailable && (
        <div role="alert" data-testid="pick-unavailable" data-reason={unavailable.reason} className="flex flex-col gap-1.5 text-xs">
          <p className="text-warn">{Object.hasOwn(words.pickFaults, unavailable.reason) ? words.pickFaults[unavailable.reason as keyof typeof words.pickFaults] : <CodedText value={unavailable.message} />}</p>
          <CommandLine command={unavailable.command ?? words.addCommand} />
          <p className="text-soft">{words.addHint}</p>
        </div>
      )}
    </div>
  );
}
