/** Which model makes summaries, answers questions on the side and works as a sub-agent: a small one may do, where the conversation has a dear one. */
import { Card } from "../common/card.tsx";
import { SelectField } from "../common/select-field.tsx";
import { modelName } from "../models/model-name.ts";
import { usePanel } from "../panel/panel-context.ts";
import { useText } from "../text/use-text.ts";

const TASKS = ["summaryModel", "sideModel", "agentModel"] as const;

/** No model has this name. */
const OWN = "";

export function HelperModels() {
  const text = useText();
  const words = text.settings.helpers;
  const { app, send } = usePanel();
  const choices = [{ value: OWN, title: words.own }, ...app.models.map((model) => ({ value: model.id, title: modelName(model, text) }))];
  return (
    <Card title={words.title} hint={words.hint}>
      {TASKS.map((task) => {
        const chosen = app.settings?.[task] ?? OWN;
        // One that was removed is as if nothing had been chosen.
        const value = choices.some((choice) => choice.value === chosen) ? chosen : OWN;
        return <SelectField key={task} label={words.tasks[task]} testId={`helper-${task}`} value={value} choices={choices} onChoose={(id) => void send("saveSettings", { change: { [task]: id === OWN ? null : id } })} />;
      })}
    </Card>
  );
}
