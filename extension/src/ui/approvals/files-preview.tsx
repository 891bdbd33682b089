/** Each file of a plan with its change, line by line. */
import type { Plan, PlannedFile } from "../../wire/plan.ts";
import { FilePart } from "./file-part.tsx";
import { partId } from "./plan-parts.ts";
import type { OpenedParts } from "./use-opened-parts.ts";

interface FilesPreviewProps {
  plan: Plan;
  files: readonly PlannedFile[];
  parts: OpenedParts;
}

export function FilesPreview({ plan, files, parts }: FilesPreviewProps) {
  return (
    <ul className="divide-y divide-line">
      {files.map((file) => {
        const id = partId(plan, file);
        return (
          <li key={id}>
            <FilePart file={file} open={parts.isOpen(id)} onToggle={() => parts.toggle(id)} tellsUndo={plan.preview.kind === "files"} />
          </li>
        );
      })}
    </ul>
  );
}
