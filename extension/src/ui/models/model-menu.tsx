/** Which model thinks. */
import { Menu } from "@base-ui/react/menu";
import { Cpu, Plus } from "lucide-react";
import type { ModelView } from "../../app/views.ts";
import { Badge } from "../common/badge.tsx";
import { ChoiceMenu } from "../common/choice-menu.tsx";
import { FactsLine } from "../common/facts-line.tsx";
import { MenuItem } from "../common/menu-item.tsx";
import { modelName } from "./model-name.ts";
import { useText } from "../text/use-text.ts";

interface ModelMenuProps {
  models: readonly ModelView[];
  chosen: ModelView | null;
  onChoose: (id: string) => void;
  onAdd: () => void;
}

export function ModelMenu({ models, chosen, onChoose, onAdd }: ModelMenuProps) {
  const text = useText();
  const words = text.model;
  return (
    <ChoiceMenu
      label={words.label}
      testId="model-select"
      icon={<Cpu aria-hidden size={13} className="shrink-0" />}
      shown={(chosen && modelName(chosen, text)) ?? text.common.chooseModel}
      value={chosen?.id ?? null}
      choices={models.map((model) => ({
        value: model.id,
        title: modelName(model, text),
        hint: model.kind === "demo" ? words.demoHint : <FactsLine>{model.modelName !== model.label && model.modelName}{model.kind === "openai_compatible" ? <span dir="ltr">{model.baseUrl}</span> : words.kinds[model.kind]}</FactsLine>,
        badge: !model.permitted && <Badge tone="warn">{words.notPermitted}</Badge>,
      }))}
      onChoose={onChoose}
    >
      <Menu.Separator className="my-1 h-px bg-line" />
      <MenuItem testId="add-model" icon={<Plus aria-hidden size={14} />} onClick={onAdd}>{words.addServer}</MenuItem>
    </ChoiceMenu>
  );
}
