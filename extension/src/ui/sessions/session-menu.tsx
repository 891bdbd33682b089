/** What can be done with a session, behind one small button. */
import { Menu } from "@base-ui/react/menu";
import { Braces, Ellipsis, FileCode, FileText, GitFork, Pencil, Pin, PinOff, Tag, Trash2 } from "lucide-react";
import type { SessionSummary } from "../../app/views.ts";
import { MenuItem } from "../common/menu-item.tsx";
import { saveFile } from "../common/save-file.ts";
import { usePanel } from "../panel/panel-context.ts";
import { REFUSED } from "../panel/use-intents.ts";
import { useText } from "../text/use-text.ts";

interface SessionMenuProps {
  session: SessionSummary;
  onOpen: (what: "rename" | "tags" | "related") => void;
}

export function SessionMenu({ session, onOpen }: SessionMenuProps) {
  const text = useText();
  const words = text.sessions;
  const { send, show, deleteSession } = usePanel();
  const isPinned = session.pinned === true;
  const save = async (format: "markdown" | "json" | "html") => {
    const file = await send("exportAs", { session: session.id, format });
    if (file === REFUSED) return;
    saveFile(file);
    show({ tone: "good", message: words.exported(file.name) });
  };
  return (
    <Menu.Root>
      <Menu.Trigger aria-label={words.more(session.title || text.header.untitled)} data-testid="session-more" className="inline-flex size-6 shrink-0 items-center justify-center rounded-md text-soft opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 hover:text-ink data-popup-open:opacity-100 pointer-coarse:opacity-100">
        <Ellipsis size={14} />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner side="bottom" align="end" sideOffset={4} collisionPadding={8} className="z-30">
          <Menu.Popup className="min-w-44 tiny:min-w-0 max-w-(--available-width) rounded-lg border border-line bg-surface p-1 shadow-float outline-none">
            <MenuItem testId="session-rename" icon={<Pencil size={13} />} onClick={() => onOpen("rename")}>{words.rename}</MenuItem>
            <MenuItem testId="session-pin" icon={isPinned ? <PinOff size={13} /> : <Pin size={13} />} onClick={() => void send("pinSession", { session: session.id, pinned: !isPinned })}>{isPinned ? words.unpin : words.pin}</MenuItem>
            <MenuItem testId="session-tags" icon={<Tag size={13} />} onClick={() => onOpen("tags")}>{words.tags}</MenuItem>
            <MenuItem testId="session-related" icon={<GitFork size={13} />} onClick={() => onOpen("related")}>{words.related}</MenuItem>
            <Menu.Separator className="my-1 h-px bg-line" />
            <MenuItem testId="export-markdown" icon={<FileText size={13} />} onClick={() => void save("markdown")}>{words.exports.markdown}</MenuItem>
            <MenuItem testId="export-html" icon={<FileCode size={13} />} onClick={() => void save("html")}>{words.exports.html}</MenuItem>
            <MenuItem testId="export-json" icon={<Braces size={13} />} onClick={() => void save("json")}>{words.exports.json}</MenuItem>
            <Menu.Separator className="my-1 h-px bg-line" />
            <MenuItem testId="session-delete" danger icon={<Trash2 size={13} />} onClick={() => deleteSession(session)}>{words.delete}</MenuItem>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}
