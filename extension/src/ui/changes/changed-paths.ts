/** Which files a session has changed so far, by its own log: enough to count them; what is shown comes from the host's journal. */
import type { SessionView } from "../../agent/session-view.ts";

export function changedPaths(session: SessionView): readonly string[] {
  const paths = new Set<string>();
  for (const turn of session.turns) {
    for (const step of turn.steps) {
      for (const call of step.calls) {
        const preview = call.state === "done" ? call.approval?.plan.preview : undefined;
        if (preview?.kind === "files") for (const file of preview.files) paths.add(file.path);
      }
    }
  }
  return [...paths];
}

/** Changes whenever the host's journal may have something new to say. */
export function changesStamp(session: SessionView): string {
  const settled = session.turns.reduce((sum, turn) => sum + turn.steps.reduce((inner, step) => inner + step.calls.filter((call) => !call.readOnly && call.result !== null).length, 0), 0);
  return `${settled} ${session.undone.length} ${session.undone.at(-1)?.at ?? 0}`;
}
