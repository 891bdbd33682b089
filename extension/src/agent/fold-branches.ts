// The tree of a session: branches begin, are left and taken up again; nothing of them is ever lost. Pure.
import type { AgentEvent, UndoneFile } from "./events.ts";
import type { BranchLog, SessionLog, UndoLog } from "./log.ts";

type UndoDone = Extract<AgentEvent, { type: "UndoDone" }>;

export const MAIN_BRANCH: BranchLog = { id: "main", kind: "main", from: null, parent: null, at: 0, turns: [] };

export function foldBranches(log: SessionLog, event: AgentEvent, at: number): SessionLog {
  switch (event.type) {
    case "BranchStart": {
      const place = event.from === null ? -1 : log.turns.findIndex((turn) => turn.id === event.from);
      if (log.branches.some(({ id }) => id === event.branch) || (event.from !== null && place === -1)) return log;
      const made: BranchLog = { id: event.branch, kind: event.kind, from: event.from, parent: log.branch, at, turns: [] };
      return { ...shelved(log), branches: [...shelved(log).branches, made], branch: event.branch, turns: log.turns.slice(0, place + 1).filter(({ id }) => id !== event.without) };
    }
    case "BranchSelected": {
      const found = log.branches.find(({ id }) => id === event.branch);
      return found === undefined || found.id === log.branch ? log : { ...shelved(log), branch: found.id, turns: found.turns };
    }
    case "UndoStarted": {
      const { type: _type, ...asked } = event;
      return { ...log, undoing: asked, undoLeft: null };
    }
    case "UndoEnded":
      return log.undoing?.undo === event.undo ? { ...log, undoing: null, undoLeft: event.state === "left" ? log.undoing : null } : log;
    case "UndoDone":
      return { ...log, undone: [...log.undone.filter(({ turn }) => turn !== event.turn), undone(log.undone.find(({ turn }) => turn === event.turn), event, at)] };
    default:
      return log;
  }
}

/** What is undone of a turn adds up: what one undo left alone, another may do, and a redo may bring back a part only. */
function undone(before: UndoLog | undefined, event: UndoDone, at: number): UndoLog {
  const { turn, direction, state, files, replaced, within } = event;
  const known = before?.direction === "undo" ? before.files : [];
  const rest = known.filter(({ path }) => !files.some((file) => file.path === path));
  const more = { turn, state, at, ...(replaced === undefined || replaced.length === 0 ? {} : { replaced }), ...(within === undefined ? {} : { within }) };
  if (direction === "undo") return { ...more, direction, files: [...rest, ...files] };
  // What a redo could not bring back is undone still; where somebody else's version is back, the file is as if it had been left alone.
  const after = files.flatMap((file): UndoneFile[] => {
    const was = known.find(({ path }) => path === file.path);
    if (file.conflict !== null) return was === undefined ? [] : [was];
    return event.broughtBack === true ? [{ path: file.path, action: "restore", conflict: "it has changed since" }] : [];
  });
  const left = [...rest, ...after];
  return left.some(({ conflict }) => conflict === null) ? { ...more, direction: "undo", files: left } : { ...more, direction, files };
}

/** The current branch's turns are put where they are found again. */
function shelved(log: SessionLog): SessionLog {
  return { ...log, branches: log.branches.map((branch) => (branch.id === log.branch ? { ...branch, turns: log.turns } : branch)) };
}
