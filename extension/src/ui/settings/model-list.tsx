/** Every model there is, which one new sessions begin with, and the way to change each. */
import { Pencil, Plus } from "lucide-react";
import { Badge } from "../common/badge.tsx";
import { Button } from "../common/button.tsx";
import { Card } from "../common/card.tsx";
import { FactsLine } from "../common/facts-line.tsx";
import { IconButton } from "../common/icon-button.tsx";
import { Row, Rows } from "../common/row.tsx";
import { modelName } from "../models/model-name.ts";
import { usePanel } from "../panel/panel-context.ts";
import { useText } from "../text/use-text.ts";

export function ModelList() {
  const text = useText();
  const words = text.settings.models;
  const { app, go, send } = usePanel();
  return (
    <Card title={words.title} actions={<Button weight="primary" icon={<Plus aria-hidden size={14} />} data-testid="model-add" onClick={() => go({ part: "models/new" })}>{text.model.addServer}</Button>}>
      <Rows label={words.title}>
        {app.models.map((model) => (
          <Row
            key={model.id}
            testId="model-row"
            id={model.id}
            title={modelName(model, text)}
            hint={model.kind === "demo" ? text.model.demoHint : <FactsLine>{model.modelName !== model.label && model.modelName}{model.kind === "openai_compatible" ? <span dir="ltr">{model.baseUrl}</span> : text.model.kinds[model.kind]}</FactsLine>}
            badges={
              <>
                {model.id === app.defaults.model && <Badge tone="accent">{words.inUse}</Badge>}
                {!model.permitted && <Badge tone="warn">{text.model.notPermitted}</Badge>}
                {model.locked === true && <Badge tone="warn">{words.locked}</Badge>}
              </>
            }
            actions={
              <>
                {model.id !== app.defaults.model && <Button weight="quiet" data-testid="model-use" onClick={() => void send("selectModel", { session: null, model: model.id })}>{words.use}</Button>}
                {model.kind !== "demo" && <IconButton label={words.edit(model.label)} data-testid="model-edit" icon={<Pencil size={14} />} onClick={() => go({ part: `models/${model.id}` })} />}
              </>
            }
          />
        ))}
      </Rows>
    </Card>
  );
}
