/** Commands that go on in the background, followed for as long as somebody looks: what each writes, whether it still runs, and how it ended. */
import { useEffect, useMemo, useState } from "react";
import type { CommandView } from "../../agent/commands.ts";
import type { PanelClient } from "../../app/panel-client.ts";
import type { JobState } from "../../app/views.ts";

/** Soon enough to watch a server by, and rare enough to cost nothing. */
const LOOK_MS = 1_000;
/** Of one job; a server that writes for days is shown by its end. */
const KEPT_CHARS = 400_000;

interface Wanted {
  readonly call: string;
  readonly job: string;
  readonly command: string;
}

/** What a job wrote as far as it was looked at. */
interface Followed {
  readonly text: string;
  readonly skipped: number;
  readonly next: number;
}

export function useJobs(client: PanelClient, commands: readonly CommandView[]): readonly CommandView[] {
  // As text, so that it stays the same while the conversation goes on. A job that begins later is looked for anew.
  const following = JSON.stringify(commands.filter(goesOn).map(({ call, job, command }) => ({ call, job, command })));
  const [jobs, setJobs] = useState<readonly JobState[] | null>(null);
  const [written, setWritten] = useState<ReadonlyMap<string, Followed>>(new Map());
  useEffect(() => {
    const wanted = JSON.parse(following) as readonly Wanted[];
    if (wanted.length === 0) return;
    let timer: ReturnType<typeof setTimeout> | null = null;
    let isCurrent = true;
    let known: ReadonlyMap<string, Followed> = new Map();
    const look = async () => {
      const since = Object.fromEntries(wanted.map(({ call, job }) => [job, known.get(call)?.next ?? 0]));
      const found = document.visibilityState === "hidden" ? null : await client.send("listJobs", { since }).catch(() => null);
      if (!isCurrent) return;
      if (found !== null) {
        known = new Map(wanted.flatMap((command) => more(command, known.get(command.call), found.jobs)));
        setJobs(found.jobs);
        setWritten(known);
      }
      if (found === null || found.jobs.some(({ outcome }) => outcome === "running")) timer = setTimeout(() => void look(), LOOK_MS);
    };
    void look();
    return () => {
      isCurrent = false;
      if (timer !== null) clearTimeout(timer);
    };
  }, [client, following]);
  return useMemo(() => (jobs === null ? commands : commands.map((command) => (goesOn(command) ? withJob(command, jobs, written.get(command.call)) : command))), [commands, jobs, written]);
}

function goesOn({ job, ended }: CommandView): boolean {
  return job !== null && ended?.outcome === "running";
}

/** Older hosts begin the names of jobs anew, so the command has to be the same. */
function find(command: Pick<CommandView, "job" | "command">, jobs: readonly JobState[]): JobState | undefined {
  return jobs.find((each) => each.job === command.job && each.command === command.command);
}

function more(command: Wanted, before: Followed | undefined, jobs: readonly JobState[]): readonly (readonly [string, Followed])[] {
  const job = find(command, jobs);
  if (job === undefined || job.output === null) return before === undefined ? [] : [[command.call, before]];
  const { text, nextSince } = job.output;
  // A host that began anew has less than was read of the one before.
  if (before !== undefined && nextSince < before.next) return [];
  const all = (before?.text ?? "") + text;
  const surplus = Math.max(0, all.length - KEPT_CHARS);
  return [[command.call, { text: all.slice(surplus), skipped: (before?.skipped ?? 0) + surplus, next: nextSince }]];
}

function withJob(command: CommandView, jobs: readonly JobState[], followed: Followed | undefined): CommandView {
  const job = find(command, jobs);
  // What came before it was put into the background has its colours; what the host keeps has none.
  const output = followed === undefined || followed.text === "" ? command : { ...command, output: followed.text, skippedBytes: followed.skipped };
  if (job?.outcome === "running") return { ...output, endedAt: null };
  // How long it took, and, where the host began anew since, how it ended, nobody has seen.
  return { ...output, ended: { outcome: job?.outcome ?? "exited", exitCode: job?.exitCode ?? null, signal: job?.signal ?? null }, canKill: false, startedAt: null };
}
