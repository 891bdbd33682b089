/** Commands that go on in the background, followed for as long as somebody looks: whether each still runs, and how it ended. */
import { useEffect, useMemo, useState } from "react";
import type { CommandView } from "../../agent/commands.ts";
import type { PanelClient } from "../../app/panel-client.ts";
import type { JobState } from "../../app/views.ts";

/** Soon enough to watch a server by, and rare enough for a journal of calls. */
const LOOK_MS = 3_000;

export function useJobs(client: PanelClient, session: string | null, commands: readonly CommandView[]): readonly CommandView[] {
  // A job that begins later is looked for anew.
  const following = commands.filter(goesOn).length;
  const [jobs, setJobs] = useState<readonly JobState[] | null>(null);
  useEffect(() => {
    if (following === 0 || session === null) return;
    let timer: ReturnType<typeof setTimeout> | null = null;
    let isCurrent = true;
    const look = async () => {
      const found = document.visibilityState === "hidden" ? null : await client.send("listJobs", { session }).catch(() => null);
      if (!isCurrent) return;
      if (found !== null) setJobs(found.jobs);
      if (found === null || found.jobs.some(({ outcome }) => outcome === "running")) timer = setTimeout(() => void look(), LOOK_MS);
    };
    void look();
    return () => {
      isCurrent = false;
      if (timer !== null) clearTimeout(timer);
    };
  }, [client, session, following]);
  return useMemo(() => (jobs === null ? commands : commands.map((command) => (goesOn(command) ? withJob(command, jobs) : command))), [commands, jobs]);
}

function goesOn({ job, ended }: CommandView): boolean {
  return job !== null && ended?.outcome === "running";
}

function withJob(command: CommandView, jobs: readonly JobState[]): CommandView {
  const job = jobs.find((each) => each.job === command.job && each.command === command.command);
  if (job?.outcome === "running") return { ...command, endedAt: null };
  // How long it took, and, where the host began anew since, how it ended, nobody has seen.
  return { ...command, ended: { outcome: job?.outcome ?? "exited", exitCode: job?.exitCode ?? null, signal: job?.signal ?? null }, canKill: false, startedAt: null };
}
