/** Which folder the agent works in. */
import { Menu } from "@base-ui/react/menu";
import { Folder, FolderPlus } from "lucide-react";
import type { WorkspaceView } from "../../app/views.ts";
import { Badge } from "../common/badge.tsx";
import { ChoiceMenu } from "../common/choice-menu.tsx";
import { workspaceWords } from "../common/host-words.ts";
import { MenuItem } from "../common/menu-item.tsx";
import { VisibleText } from "../common/visible-text.tsx";
import { useText } from "../text/use-text.ts";

interface WorkspaceMenuProps {
  workspaces: readonly WorkspaceView[];
  /** The host has not told yet. */
  loading: boolean;
  chosen: WorkspaceView | null;
  onChoose: (id: string) => void;
  onAdd: () => void;
}

export function WorkspaceMenu({ workspaces, loading, chosen, onChoose, onAdd }: WorkspaceMenuProps) {
  const text = useText();
  const words = text.workspace;
  return (
    <ChoiceMenu
      label={words.label}
      testId="workspace-select"
      icon={<Folder aria-hidden size={13} className="shrink-0" />}
      shown={chosen?.id ?? (loading ? words.loading : workspaces.length > 0 ? text.common.chooseWorkspace : words.noneShort)}
      value={chosen?.id ?? null}
      choices={workspaces.map((workspace) => ({
        value: workspace.id,
        title: workspace.id,
        hint: <><span dir="ltr" className="block wrap-anywhere"><VisibleText value={workspace.path} oneLine wraps /></span>{workspace.reason !== null && workspaceWords(workspace.reason, text)}</>,
        disabled: !workspace.available,
        badge: workspace.available ? workspace.readOnly && <Badge>{words.readOnly}</Badge> : <Badge tone="bad">{words.gone}</Badge>,
      }))}
      onChoose={onChoose}
    >
      {workspaces.length > 0 && <Menu.Separator className="my-1 h-px bg-line" />}
      <MenuItem testId="workspace-add" icon={<FolderPlus aria-hidden size={14} />} onClick={onAdd}>{workspaces.length > 0 ? words.addAnother : words.pick}</MenuItem>
    </ChoiceMenu>
  );
}
