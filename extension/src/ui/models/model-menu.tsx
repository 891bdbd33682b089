/** Which model thinks. */
import { Menu } from "@base-ui/react/menu";
import { Cpu, Plus } from "lucide-react";
import type { ModelView } from "../../app/views.ts";
import { Badge } from "../common/badge.tsx";
import { ChoiceMenu } from "../common/choice-menu.tsx";
import { MenuItem } from "../common/menu-item.tsx";
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
      shown={chosen?.label ?? text.common.chooseModel}
      value={chosen?.id ?? null}
      choices={models.map((model) => ({
        value: model.id,
        title: model.label,
        hint: model.kind === "demo" ? words.demoHint : [model.modelName, model.baseUrl].filter(Boolean).join(" · "),
        badge: model.kind === "demo" ? <Badge>{words.demo}</Badge> : !model.permitted && <Badge tone="warn">{words.notPermitted}</Badge>,
      }))}
      onChoose={onChoose}
    >
      <Menu.Separator className="my-1 h-px bg-line" />
      <MenuItem testId="add-model" icon={<Plus aria-hidden size={14} />} onClick={onAdd}>{words.addServer}</MenuItem>
    </ChoiceMenu>
  );
}
