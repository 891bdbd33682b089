/** What a plan would do, by its kind. */
import type { Plan } from "../../wire/plan.ts";
import { FactList } from "../common/fact-list.tsx";
import { VisibleText } from "../common/visible-text.tsx";
import { CommandPreview } from "./command-preview.tsx";
import { CommitPreview } from "./commit-preview.tsx";
import { FilesPreview } from "./files-preview.tsx";
import { StagePreview } from "./stage-preview.tsx";
import type { HunkChoice } from "./use-hunk-choice.ts";
import type { OpenedParts } from "./use-opened-parts.ts";

export function PlanPreview({ plan, parts, choice }: { plan: Plan; parts: OpenedParts; choice?: HunkChoice }) {
  const { preview } = plan;
  switch (preview.kind) {
    case "call":
      return <FactList facts={preview.arguments.map(({ name, value }) => ({ name, value: <span className="whitespace-pre-wrap"><VisibleText value={value} oneLine={!value.includes("\n")} /></span> }))} />;
    case "files":
      return <FilesPreview plan={plan} files={preview.files} parts={parts} choice={choice} />;
    case "command":
      return <CommandPreview command={preview} />;
    case "stage":
      return <StagePreview stage={preview} />;
    case "commit":
      return <CommitPreview plan={plan} commit={preview} parts={parts} />;
  }
}
