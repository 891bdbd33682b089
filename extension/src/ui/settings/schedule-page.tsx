/** One scheduled task: what is to be done, when, where, and what it may do by itself. */
import { type FormEvent, useState } from "react";
import { newUlid } from "../../lib/ids.ts";
import { faultOfTiming, nextRun, type Timing } from "../../agent/timing.ts";
import type { Schedule } from "../../app/schedules.ts";
import { Button } from "../common/button.tsx";
import { CheckField } from "../common/check-field.tsx";
import { DayTime } from "../common/day-time.tsx";
import { NumberField } from "../common/number-field.tsx";
import { Segments } from "../common/segments.tsx";
import { SelectField } from "../common/select-field.tsx";
import { SureButton } from "../common/sure-button.tsx";
import { TextArea } from "../common/text-area.tsx";
import { TextField } from "../common/text-field.tsx";
import { modelName } from "../models/model-name.ts";
import { usePanel } from "../panel/panel-context.ts";
import { REFUSED } from "../panel/use-intents.ts";
import { useText } from "../text/use-text.ts";
import { clock, minutesOf } from "./timing-words.ts";

const HOUR_MS = 3_600_000;

interface SchedulePageProps {
  /** Null: a new one. */
  schedule: Schedule | null;
  onDone: () => void;
}

export function SchedulePage({ schedule, onDone }: SchedulePageProps) {
  const text = useText();
  const words = text.settings.schedules;
  const { app, send, show } = usePanel();
  const [opened] = useState(() => Date.now());
  const [id] = useState(() => schedule?.id ?? newUlid());
  const [title, setTitle] = useState(schedule?.title ?? "");
  const [task, setTask] = useState(schedule?.task ?? "");
  const [timing, setTiming] = useState<Timing>(schedule?.timing ?? { kind: "interval", minutes: 60 });
  const [hours, setHours] = useState(schedule?.hours ?? null);
  const [missed, setMissed] = useState(schedule?.missed ?? "run_once");
  const [config, setConfig] = useState(schedule?.config ?? app.defaults);
  const fault = faultOfTiming(timing, opened);
  const next = fault === null ? nextRun(timing, opened, hours) : null;

  const save = async (event: FormEvent) => {
    event.preventDefault();
    const name = title.trim() === "" ? task.trim().split("\n", 1)[0]?.slice(0, 60) ?? "" : title.trim();
    if (fault !== null || task.trim() === "") return;
    if ((await send("saveSchedule", { id, title: name, task: task.trim(), timing, hours, missed, config, by: schedule?.by ?? "user", session: schedule?.session ?? null, enabled: schedule?.enabled ?? true })) === REFUSED) return;
    show({ tone: "good", message: words.saved(name) });
    onDone();
  };
  const remove = async () => {
    if ((await send("removeSchedule", { schedule: id })) === REFUSED) return;
    show({ tone: "good", message: words.removed });
    onDone();
  };
  const kinds: Record<Timing["kind"], () => Timing> = {
    interval: () => ({ kind: "interval", minutes: 60 }),
    at: () => ({ kind: "at", at: opened + HOUR_MS }),
    cron: () => ({ kind: "cron", line: "0 9 * * 1-5" }),
  };

  return (
    <form onSubmit={(event) => void save(event)} data-testid="schedule-form" className="flex flex-col gap-4">
      <TextArea label={words.task} data-testid="schedule-task" rows={3} value={task} onChange={(event) => setTask(event.target.value)} required />
      <TextField label={words.name} data-testid="schedule-title" value={title} onChange={(event) => setTitle(event.target.value)} />
      <Segments label={words.when} testId="schedule-kind" value={timing.kind} choices={(["interval", "at", "cron"] as const).map((value) => ({ value, title: words.kinds[value] }))} onChoose={(kind) => setTiming(kinds[kind]())} />
      {timing.kind === "interval" && <NumberField label={words.minutes} testId="schedule-minutes" min={1} value={timing.minutes} onChange={(minutes) => minutes !== null && setTiming({ kind: "interval", minutes })} />}
      {timing.kind === "at" && <TextField label={words.at} data-testid="schedule-at" type="datetime-local" value={localInput(timing.at)} onChange={(event) => setTiming({ kind: "at", at: new Date(event.target.value).getTime() })} />}
      {timing.kind === "cron" && <TextField label={words.cronLine} data-testid="schedule-cron" dir="ltr" spellCheck={false} value={timing.line} onChange={(event) => setTiming({ kind: "cron", line: event.target.value })} hint={words.cronHint} />}
      {timing.kind !== "at" && (
        <div className="flex flex-col gap-2">
          <CheckField label={words.hours} testId="schedule-hours" checked={hours !== null} onChange={(on) => setHours(on ? { from: 9 * 60, until: 18 * 60 } : null)} />
          {hours !== null && (
            <div className="grid grid-cols-2 gap-3">
              <TextField label={words.from} type="time" value={clock(hours.from)} onChange={(event) => setHours({ ...hours, from: minutesOf(event.target.value) })} />
              <TextField label={words.until} type="time" value={clock(hours.until)} onChange={(event) => setHours({ ...hours, until: minutesOf(event.target.value) })} />
            </div>
          )}
        </div>
      )}
      <p className={fault === null ? "text-xs text-soft" : "text-xs text-bad"} data-testid="schedule-next">{fault !== null ? words.badTiming : next === null ? words.never : <>{words.next} <DayTime at={next} /></>}</p>
      <SelectField label={words.missed} testId="schedule-missed" value={missed} choices={(["run_once", "skip"] as const).map((value) => ({ value, title: words.missedPolicies[value] }))} onChoose={setMissed} />
      <SelectField label={text.workspace.label} testId="schedule-workspace" value={config.workspace ?? ""} choices={[{ value: "", title: words.defaultWorkspace }, ...(app.workspaces ?? []).map((workspace) => ({ value: workspace.id, title: workspace.id }))]} onChoose={(workspace) => setConfig({ ...config, workspace: workspace === "" ? null : workspace })} />
      <SelectField label={text.model.label} testId="schedule-model" value={config.model} choices={app.models.map((model) => ({ value: model.id, title: modelName(model, text) }))} onChoose={(model) => setConfig({ ...config, model })} />
      <SelectField label={text.mode.label} testId="schedule-mode" value={config.mode} choices={app.modes.map((value) => ({ value, title: text.mode[value] }))} onChoose={(mode) => setConfig({ ...config, mode })} hint={words.modeHint} />
      <div className="flex flex-wrap gap-1.5">
        <Button type="submit" weight="primary" data-testid="schedule-save" disabled={fault !== null || task.trim() === ""}>{text.common.save}</Button>
        <Button weight="quiet" onClick={onDone}>{text.common.cancel}</Button>
        <span className="flex-1" />
        {schedule !== null && <SureButton data-testid="schedule-remove" sure={words.removeSure} onSure={() => void remove()}>{words.remove}</SureButton>}
      </div>
    </form>
  );
}

/** As a field for local times wants it. */
function localInput(at: number): string {
  if (!Number.isFinite(at)) return "";
  const date = new Date(at);
  return new Date(at - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
