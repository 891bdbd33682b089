/** One scheduled task. */
import { Pencil } from "lucide-react";
import type { Schedule } from "../../app/schedules.ts";
import { Badge } from "../common/badge.tsx";
import { DayTime } from "../common/day-time.tsx";
import { FactsLine } from "../common/facts-line.tsx";
import { IconButton } from "../common/icon-button.tsx";
import { Row } from "../common/row.tsx";
import { Switch } from "../common/switch.tsx";
import { usePanel } from "../panel/panel-context.ts";
import { REFUSED } from "../panel/use-intents.ts";
import { useText } from "../text/use-text.ts";
import { timingWords } from "./timing-words.ts";

export function ScheduleRow({ schedule, onChanged }: { schedule: Schedule; onChanged: () => void }) {
  const text = useText();
  const words = text.settings.schedules;
  const { go, send, show } = usePanel();
  const enable = async (enabled: boolean) => {
    if ((await send("enableSchedule", { schedule: schedule.id, enabled })) === REFUSED) return;
    show({ tone: "good", message: enabled ? words.resumed : words.paused });
    onChanged();
  };
  return (
    <Row
      testId="schedule-row"
      id={schedule.id}
      title={schedule.title}
      badges={<>{!schedule.enabled && <Badge>{words.isPaused}</Badge>}{schedule.by === "model" && <Badge tone="accent">{words.byAgent}</Badge>}</>}
      hint={
        <FactsLine>
          {timingWords(schedule, text)}
          {schedule.enabled && (schedule.nextAt === null ? words.never : <>{words.next} <DayTime at={schedule.nextAt} /></>)}
          {schedule.lastAt !== null && <>{words.last} <DayTime at={schedule.lastAt} /> ({words.runs(schedule.runs)})</>}
        </FactsLine>
      }
      actions={
        <>
          <Switch label={words.enabled(schedule.title)} testId="schedule-switch" checked={schedule.enabled} onChange={(enabled) => void enable(enabled)} />
          <IconButton label={text.settings.models.edit(schedule.title)} data-testid="schedule-edit" icon={<Pencil size={14} />} onClick={() => go({ part: `schedules/${schedule.id}` })} />
        </>
      }
    />
  );
}
