/** A task the agent made that begins by itself: when, and the ways to pause and remove it, where it was made. */
import { AlarmClock, X } from "lucide-react";
import { useCallback, useEffect, useState } from "react";
import type { Schedule } from "../../app/schedules.ts";
import { useChat } from "../chat/chat.ts";
import { FactsLine } from "../common/facts-line.tsx";
import { IconButton } from "../common/icon-button.tsx";
import { Switch } from "../common/switch.tsx";
import { REFUSED } from "../panel/use-intents.ts";
import type { Catalogue } from "../text/catalogue.ts";
import { useText } from "../text/use-text.ts";

export function ScheduleCard({ call }: { call: string }) {
  const text = useText();
  const words = text.work;
  const chat = useChat();
  const send = chat?.send;
  // Undefined: not known yet; null: it is gone.
  const [schedule, setSchedule] = useState<Schedule | null | undefined>(undefined);
  const look = useCallback(async () => {
    const found = send === undefined ? REFUSED : await send("listSchedules", {});
    return found === REFUSED ? undefined : (found.schedules.find(({ id }) => id === call) ?? null);
  }, [send, call]);
  useEffect(() => {
    let isCurrent = true;
    void look().then((found) => isCurrent && setSchedule(found));
    return () => {
      isCurrent = false;
    };
  }, [look]);
  if (schedule === undefined || !chat) return null;
  if (schedule === null) return <p className="border-t border-line px-2.5 py-1.5 text-2xs text-soft">{words.scheduleGone}</p>;
  const enable = async (enabled: boolean) => {
    await chat.send("enableSchedule", { schedule: schedule.id, enabled });
    setSchedule(await look());
  };
  const remove = async () => {
    if ((await chat.send("removeSchedule", { schedule: schedule.id })) === REFUSED) return;
    chat.show({ tone: "good", message: text.settings.schedules.removed });
    setSchedule(await look());
  };
  const next = !schedule.enabled ? words.schedulePaused : schedule.nextAt === null ? words.scheduleNever : words.scheduleNext(new Date(schedule.nextAt).toLocaleString(text.language.tag, { dateStyle: "medium", timeStyle: "short" }));
  return (
    <section data-testid="schedule-card" data-enabled={schedule.enabled} className="flex items-start gap-2 border-t border-line px-2.5 py-1.5 text-xs">
      <AlarmClock aria-hidden size={13} className="mt-1.5 shrink-0 text-soft" />
      <span className="min-w-0 flex-1 py-0.5">
        <span className="block font-medium break-words">{schedule.title}</span>
        <span className="block text-2xs text-soft"><FactsLine>{wordsOf(schedule, text)}{next}{schedule.runs > 0 && words.scheduleRuns(schedule.runs)}</FactsLine></span>
      </span>
      <Switch label={words.scheduleOn} testId="schedule-enabled" checked={schedule.enabled} onChange={(enabled) => void enable(enabled)} />
      <IconButton label={words.scheduleRemove} data-testid="schedule-remove" icon={<X size={13} />} onClick={() => void remove()} />
    </section>
  );
}

function wordsOf({ timing }: Schedule, text: Catalogue): string {
  const { timing: words } = text.work;
  return timing.kind === "at" ? words.at : timing.kind === "interval" ? words.interval(timing.minutes) : words.cron(timing.line);
}
