/** What can be done with a session, behind one small button. */
import { Menu } from "@base-ui/react/menu";
import { Braces, FileCode, FileText, GitFork, Pencil, Pin, PinOff, Tag, Trash2 } from "lucide-react";
import type { SessionSummary } from "../../app/views.ts";
import { MenuItem } from "../common/menu-item.tsx";
import { RowMenu } from "../common/row-menu.tsx";
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
  const page = async () => {
    const found = await send("exportView", { session: session.id });
    // Loaded with the first page that is wanted.
    return found === REFUSED ? REFUSED : (await import("../../app/export-html.ts")).exportHtml(found);
  };
  const save = async (format: "markdown" | "json" | "html") => {
    const file = format === "html" ? await page() : await send("exportAs", { session: session.id, format });
    if (file === REFUSED) return;
    saveFile(file);
    show({ tone: "good", message: words.exported(file.name) });
  };
  return (
    <RowMenu label={words.more(session.title || text.header.untitled)} testId="session-more" className="opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 data-popup-open:opacity-100 pointer-coarse:opacity-100">
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
    </RowMenu>
  );
}
