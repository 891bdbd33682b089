/** Tasks that begin by themselves: every one, with its next time, and the way to pause, change or remove it. */
import { Plus } from "lucide-react";
import { AskedBody } from "../common/asked-body.tsx";
import { Button } from "../common/button.tsx";
import { Card } from "../common/card.tsx";
import { Rows } from "../common/row.tsx";
import { usePanel } from "../panel/panel-context.ts";
import { useAsked } from "../panel/use-asked.ts";
import { useText } from "../text/use-text.ts";
import { SchedulePage } from "./schedule-page.tsx";
import { ScheduleRow } from "./schedule-row.tsx";

export function SchedulesSection() {
  const text = useText();
  const words = text.settings.schedules;
  const { place, go } = usePanel();
  const schedules = useAsked("listSchedules", {});
  const [, page] = (place.part ?? "").split("/");
  if (page !== undefined) {
    const done = () => {
      schedules.reload();
      go({ part: "schedules" }, place);
    };
    return <AskedBody asked={schedules}>{(value) => <SchedulePage key={page} schedule={value.schedules.find(({ id }) => id === page) ?? null} onDone={done} />}</AskedBody>;
  }
  return (
    <Card title={words.title} hint={words.hint} actions={<Button weight="primary" icon={<Plus aria-hidden size={14} />} data-testid="schedule-add" onClick={() => go({ part: "schedules/new" })}>{words.add}</Button>}>
      <AskedBody asked={schedules}>
        {(value) => (value.schedules.length === 0 ? <p className="rounded-lg border border-line bg-surface px-3 py-2 text-xs text-soft">{words.none}</p> : <Rows label={words.title}>{value.schedules.map((schedule) => <ScheduleRow key={schedule.id} schedule={schedule} onChanged={schedules.reload} />)}</Rows>)}
      </AskedBody>
    </Card>
  );
}
