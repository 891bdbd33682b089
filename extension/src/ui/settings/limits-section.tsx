/** How far the agent goes by itself before it asks, how often it tries again, and how long one call may take. */
import { Plus, Trash2 } from "lucide-react";
import { type FormEvent, useState } from "react";
import type { TurnLimits } from "../../wire/events.ts";
import { FREE_RETRIES, MINUTES_CAP, RETRY_FIRST_MS, RETRY_LAST_MS, STEP_CAP } from "../../agent/limits.ts";
import { Button } from "../common/button.tsx";
import { Card } from "../common/card.tsx";
import { IconButton } from "../common/icon-button.tsx";
import { NumberField } from "../common/number-field.tsx";
import { TextField } from "../common/text-field.tsx";
import { usePanel } from "../panel/panel-context.ts";
import { REFUSED } from "../panel/use-intents.ts";
import { useText } from "../text/use-text.ts";
import { EXAMPLES } from "./examples.ts";

interface Timeout {
  readonly id: number;
  readonly tool: string;
  readonly seconds: number | null;
}

const SECOND_MS = 1000;

export function LimitsSection() {
  const { app } = usePanel();
  return <LimitsForm key={JSON.stringify(app.defaults.limits ?? {})} limits={app.defaults.limits ?? {}} />;
}

function inSeconds(ms: number | null): number | null {
  return ms === null ? null : ms / SECOND_MS;
}

function LimitsForm({ limits }: { limits: TurnLimits }) {
  const text = useText();
  const words = text.settings.limits;
  const { send, show } = usePanel();
  const [values, setValues] = useState({ steps: limits.steps ?? null, costUsd: limits.costUsd ?? null, minutes: limits.minutes ?? null, retries: limits.retries ?? null, retryFirstMs: limits.retryFirstMs ?? null, retryLastMs: limits.retryLastMs ?? null });
  const [timeouts, setTimeouts] = useState<readonly Timeout[]>(() => Object.entries(limits.toolTimeoutsMs ?? {}).map(([tool, ms], id) => ({ id, tool, seconds: ms / SECOND_MS })));
  const set = (name: keyof typeof values) => (value: number | null) => setValues({ ...values, [name]: value });
  const change = (id: number, more: Partial<Timeout>) => setTimeouts(timeouts.map((each) => (each.id === id ? { ...each, ...more } : each)));
  const save = async (event: FormEvent) => {
    event.preventDefault();
    const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null)) as TurnLimits;
    const toolTimeoutsMs = Object.fromEntries(timeouts.flatMap(({ tool, seconds }) => (tool.trim() === "" || seconds === null ? [] : [[tool.trim(), seconds * SECOND_MS]])));
    if ((await send("setLimits", { session: null, limits: { ...given, ...(Object.keys(toolTimeoutsMs).length > 0 ? { toolTimeoutsMs } : {}) } })) !== REFUSED) show({ tone: "good", message: words.saved });
  };
  return (
    <form onSubmit={(event) => void save(event)} className="flex flex-col gap-5" data-testid="limits-form">
      <Card title={words.caps} hint={words.capsHint}>
        <div className="grid grid-cols-2 gap-3">
          <NumberField label={words.steps} testId="limit-steps" value={values.steps} min={1} placeholder={String(STEP_CAP)} onChange={set("steps")} />
          <NumberField label={words.minutes} testId="limit-minutes" value={values.minutes} min={1} placeholder={String(MINUTES_CAP)} onChange={set("minutes")} />
          <NumberField label={words.cost} testId="limit-cost" value={values.costUsd} placeholder={words.noCap} onChange={set("costUsd")} />
          <NumberField label={words.retries} testId="limit-retries" value={values.retries} placeholder={String(FREE_RETRIES)} onChange={set("retries")} />
          <NumberField label={words.retryFirst} testId="limit-retry-first" value={inSeconds(values.retryFirstMs)} placeholder={String(RETRY_FIRST_MS / SECOND_MS)} onChange={(value) => set("retryFirstMs")(value === null ? null : value * SECOND_MS)} />
          <NumberField label={words.retryLast} testId="limit-retry-last" value={inSeconds(values.retryLastMs)} placeholder={String(RETRY_LAST_MS / SECOND_MS)} onChange={(value) => set("retryLastMs")(value === null ? null : value * SECOND_MS)} />
        </div>
      </Card>
      <Card title={words.timeouts} hint={words.timeoutsHint} actions={<Button icon={<Plus aria-hidden size={14} />} data-testid="timeout-add" onClick={() => setTimeouts([...timeouts, { id: Math.max(-1, ...timeouts.map(({ id }) => id)) + 1, tool: "", seconds: null }])}>{words.timeoutAdd}</Button>}>
        {timeouts.map((timeout) => (
          <div key={timeout.id} className="flex items-end gap-2">
            <div className="min-w-0 flex-1"><TextField label={words.tool} dir="ltr" data-testid="timeout-tool" spellCheck={false} value={timeout.tool} placeholder={EXAMPLES.slowTool} onChange={(event) => change(timeout.id, { tool: event.target.value })} /></div>
            <div className="w-24"><NumberField label={words.seconds} testId="timeout-seconds" min={1} value={timeout.seconds} onChange={(seconds) => change(timeout.id, { seconds })} /></div>
            <IconButton label={words.timeoutRemove} icon={<Trash2 size={14} />} onClick={() => setTimeouts(timeouts.filter(({ id }) => id !== timeout.id))} />
          </div>
        ))}
      </Card>
      <div><Button type="submit" weight="primary" data-testid="limits-save">{text.common.save}</Button></div>
    </form>
  );
}
