/** Each file of a plan with its change, line by line; where changes can be left out, each with its box. */
import type { Plan, PlannedFile } from "../../wire/plan.ts";
import { TickBox } from "../common/tick-box.tsx";
import { useText } from "../text/use-text.ts";
import { FilePart } from "./file-part.tsx";
import { partId } from "./plan-parts.ts";
import type { HunkChoice } from "./use-hunk-choice.ts";
import type { OpenedParts } from "./use-opened-parts.ts";

interface FilesPreviewProps {
  plan: Plan;
  files: readonly PlannedFile[];
  parts: OpenedParts;
  choice?: HunkChoice | undefined;
}

export function FilesPreview({ plan, files, parts, choice }: FilesPreviewProps) {
  const text = useText();
  const offered = choice?.isOffered(plan) ? choice : undefined;
  return (
    <ul className="divide-y divide-line">
      {files.map((file) => {
        const id = partId(plan, file);
        const chosen = offered ? file.hunks.filter((hunk) => offered.isChosen(plan, hunk.id)).length : 0;
        const box = offered && files.length > 1 && (
          <TickBox className="mt-2.5 ms-2.5" aria-label={text.cards.fileHunks(file.path)} checked={chosen === file.hunks.length} partly={chosen > 0 && chosen < file.hunks.length} onChange={() => offered.setFile(plan, file, chosen < file.hunks.length)} />
        );
        return (
          <li key={id} className="flex min-w-0 flex-wrap">
            {box}
            <FilePart
              file={file}
              open={parts.isOpen(id)}
              onToggle={() => parts.toggle(id)}
              tellsUndo={plan.preview.kind === "files"}
              tickOf={offered && ((hunk) => ({ ...offered.placeOf(plan, hunk.id), chosen: offered.isChosen(plan, hunk.id), onToggle: () => offered.toggle(plan, hunk.id) }))}
            />
          </li>
        );
      })}
    </ul>
  );
}
