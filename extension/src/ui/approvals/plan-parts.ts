/**
 * The parts of a plan that may be long enough to start shut.
 *
 * A part that is shut must be opened before Allow counts. Short parts are open from the start and need no reading aid.
 */
import type { Plan, PlannedFile } from "../../wire/plan.ts";

/** About two screens of a small panel: more than that hides the buttons' meaning. */
const LINES_SHOWN_OPEN = 60;

export interface PlanPart {
  id: string;
  startsOpen: boolean;
}

export function planParts(plans: readonly Plan[]): PlanPart[] {
  const files = plans.flatMap((plan) => plannedFiles(plan).map((file) => ({ id: partId(plan, file), lines: lineCount(file) })));
  let budget = LINES_SHOWN_OPEN;
  return files.map(({ id, lines }) => {
    budget -= lines;
    return { id, startsOpen: budget >= 0 || lines === 0 };
  });
}

export function plannedFiles(plan: Plan): readonly PlannedFile[] {
  return plan.preview.kind === "files" || plan.preview.kind === "commit" ? plan.preview.files : [];
}

/** The same for a plan that does exactly the same: what was read of one was read of the other. */
export function partId(plan: Plan, file: PlannedFile): string {
  return `${plan.digest}:${file.path}`;
}

export function lineCount(file: PlannedFile): number {
  return file.hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0);
}
