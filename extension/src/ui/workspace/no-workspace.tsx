/** The host is there and knows no folder: the one command that changes that. */
import { FolderPlus } from "lucide-react";
import { CommandLine } from "../common/command-line.tsx";
import { useText } from "../text/use-text.ts";

export function NoWorkspace() {
  const text = useText();
  return (
    <section data-testid="no-workspace" aria-label={text.workspace.none} className="mx-auto flex w-full max-w-120 flex-1 flex-col justify-center gap-3 px-4 py-6">
      <FolderPlus aria-hidden size={22} className="text-accent" />
      <h2 className="text-lg font-semibold">{text.workspace.none}</h2>
      <p>{text.workspace.noneHint}</p>
      <CommandLine command={text.workspace.addCommand} />
      <p className="text-xs text-soft">{text.workspace.addHint}</p>
    </section>
  );
}
