// The tree of a session: branches begin, are left and taken up again; nothing of them is ever lost. Pure.
import type { AgentEvent } from "./events.ts";
import type { BranchLog, SessionLog } from "./log.ts";

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
    case "UndoDone":
      return { ...log, undone: [...log.undone.filter(({ turn }) => turn !== event.turn), { turn: event.turn, direction: event.direction, state: event.state, files: event.files, at }] };
    default:
      return log;
  }
}

/** The current branch's turns are put where they are found again. */
function shelved(log: SessionLog): SessionLog {
  return { ...log, branches: log.branches.map((branch) => (branch.id === log.branch ? { ...branch, turns: log.turns } : branch)) };
}
