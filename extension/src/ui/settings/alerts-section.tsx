/** When the system's notifications speak up, and whether a sound goes with it. */
import { Card } from "../common/card.tsx";
import { CheckField } from "../common/check-field.tsx";
import { usePanel } from "../panel/panel-context.ts";
import { useText } from "../text/use-text.ts";

export function AlertsSection() {
  const text = useText();
  const words = text.settings.alerts;
  const { app, send } = usePanel();
  const settings = app.settings;
  const set = (change: Partial<NonNullable<typeof settings>>) => void send("saveSettings", { change });
  return (
    <Card title={words.title} hint={words.hint}>
      <CheckField label={words.waiting} hint={words.waitingHint} testId="notify-waiting" checked={settings?.notifyWaiting ?? true} onChange={(notifyWaiting) => set({ notifyWaiting })} />
      <CheckField label={words.done} testId="notify-done" checked={settings?.notifyDone ?? true} onChange={(notifyDone) => set({ notifyDone })} />
      <CheckField label={words.sound} testId="notify-sound" checked={settings?.sound ?? false} onChange={(sound) => set({ sound })} />
    </Card>
  );
}
