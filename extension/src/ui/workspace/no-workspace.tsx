/** The host is there and knows no folder: the dialog that changes that, or the one command. */
import { FolderPlus } from "lucide-react";
import { CommandLine } from "../common/command-line.tsx";
import { Disclosure } from "../common/disclosure.tsx";
import { useText } from "../text/use-text.ts";
import { AddWorkspace } from "./add-workspace.tsx";

export function NoWorkspace() {
  const text = useText();
  const words = text.workspace;
  // It begins where the steps before and after it do, and where it grows its button stays under the hand.
  return (
    <section data-testid="no-workspace" aria-label={words.none} className="mx-auto flex w-full max-w-120 flex-1 flex-col gap-3 px-4 py-6">
      <FolderPlus aria-hidden size={22} className="text-accent" />
      <h2 data-landing tabIndex={-1} className="text-lg font-semibold outline-none">{words.none}</h2>
      <p>{words.noneHint}</p>
      <AddWorkspace weight="primary">
        <Disclosure summary={words.byCommand}>
          <div className="flex flex-col gap-1.5"><CommandLine command={words.addCommand} /><p className="text-xs text-soft">{words.addHint}</p></div>
        </Disclosure>
      </AddWorkspace>
    </section>
  );
}
