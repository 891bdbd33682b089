/** Each file of a plan with its change, line by line; where changes can be left out, each with its box. */
import type { Plan, PlannedFile } from "../../wire/plan.ts";
import { TickBox } from "../common/tick-box.tsx";
import { useSteady } from "../common/use-steady.ts";
import type { HunkTicks } from "../diff/diff-view.tsx";
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
  const onToggle = useSteady((hunk: string) => offered?.toggle(plan, hunk));
  const ticks: HunkTicks | undefined = offered && { of: (hunk) => ({ ...offered.placeOf(plan, hunk.id), chosen: offered.isChosen(plan, hunk.id) }), onToggle };
  // What shows no lines cannot be told from the rest in an answer: the host makes it with the whole plan or not at all.
  const isWhole = offered === undefined || offered.chosenOf(plan) === null;
  return (
    <ul className="divide-y divide-line">
      {files.map((file) => {
        const id = partId(plan, file);
        const chosen = offered ? file.hunks.filter((hunk) => offered.isChosen(plan, hunk.id)).length : 0;
        const isAll = file.hunks.length > 0 ? chosen === file.hunks.length : isWhole;
        const box = offered && files.length > 1 && (
          <TickBox className="mt-2.5 ms-2.5" data-testid="file-box" aria-label={text.cards.fileHunks(file.path)} disabled={file.hunks.length === 0} checked={isAll} partly={chosen > 0 && !isAll} onChange={() => offered.setFile(plan, file, !isAll)} />
        );
        return (
          <li key={id} className="flex min-w-0 flex-wrap">
            {box}
            <FilePart file={file} open={parts.isOpen(id)} onToggle={() => parts.toggle(id)} tellsUndo={plan.preview.kind === "files"} ticks={ticks} />
            {!isWhole && file.hunks.length === 0 && <p data-testid="file-left-out" className="w-full px-2.5 pb-1.5 text-2xs text-warn">{text.cards.onlyWithAll}</p>}
          </li>
        );
      })}
    </ul>
  );
}
