/** Which files a session has changed so far, by its own log: enough to count them; what is shown comes from the host's journal. */
import type { UndoLog } from "../../agent/log.ts";
import type { SessionView, TurnView } from "../../agent/session-view.ts";
import { onceEach } from "../../lib/once-each.ts";

export function changedPaths(session: SessionView): readonly string[] {
  return [...new Set(session.turns.flatMap(pathsOf))];
}

/** A turn that did not change is the same object, and is looked through once. */
const pathsOf = onceEach((turn: TurnView): readonly string[] =>
  turn.steps.flatMap((step) => step.calls.flatMap((call) => {
    const preview = call.state === "done" ? call.approval?.plan.preview : undefined;
    return preview?.kind === "files" ? preview.files.map((file) => file.path) : [];
  })),
);

/** Changes whenever the host's journal may have something new to say. */
export function changesStamp(session: SessionView): string {
  const settled = session.turns.reduce((sum, turn) => sum + turn.steps.reduce((inner, step) => inner + step.calls.filter((call) => !call.readOnly && call.result !== null).length, 0), 0);
  return `${settled} ${session.undone.length} ${session.undone.at(-1)?.at ?? 0}`;
}

/** Files of a turn that undos put back and no redo brought again. */
export function filesBack(undone: UndoLog | undefined): ReadonlySet<string> {
  return new Set(undone?.direction === "undo" ? undone.files.filter(({ conflict }) => conflict === null).map(({ path }) => path) : []);
}
