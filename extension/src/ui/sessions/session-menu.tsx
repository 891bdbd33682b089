/** Rename and delete, behind one small button. */
import { Menu } from "@base-ui/react/menu";
import { Ellipsis, Pencil, Trash2 } from "lucide-react";
import { MenuItem } from "../common/menu-item.tsx";
import { useText } from "../text/use-text.ts";

interface SessionMenuProps {
  title: string;
  onRename: () => void;
  onDelete: () => void;
}

export function SessionMenu({ title, onRename, onDelete }: SessionMenuProps) {
  const text = useText();
  return (
    <Menu.Root>
      <Menu.Trigger aria-label={text.sessions.more(title)} data-testid="session-more" className="inline-flex size-6 shrink-0 items-center justify-center rounded-md text-soft opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 hover:text-ink data-popup-open:opacity-100">
        <Ellipsis size={14} />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner side="bottom" align="end" sideOffset={4} className="z-30">
          <Menu.Popup className="min-w-36 rounded-lg border border-line bg-surface p-1 shadow-float outline-none">
            <MenuItem testId="session-rename" icon={<Pencil size={13} />} onClick={onRename}>{text.sessions.rename}</MenuItem>
            <MenuItem testId="session-delete" danger icon={<Trash2 size={13} />} onClick={onDelete}>{text.sessions.delete}</MenuItem>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}
