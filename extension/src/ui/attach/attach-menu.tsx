/** What can be put beside a message: a file or picture, the page in front, what is selected there. */
import { Menu } from "@base-ui/react/menu";
import { FileUp, Globe, Paperclip, TextSelect } from "lucide-react";
import { memo, useRef } from "react";
import { MenuItem } from "../common/menu-item.tsx";
import { useText } from "../text/use-text.ts";

interface AttachMenuProps {
  onFiles: (files: readonly File[]) => unknown;
  /** Null: in a tab, where the page in front is this one. */
  onPage: ((what: "page" | "selection") => void) | null;
}

export const AttachMenu = memo(function AttachMenu({ onFiles, onPage }: AttachMenuProps) {
  const text = useText();
  const words = text.attach;
  const picker = useRef<HTMLInputElement>(null);
  return (
    <>
      <Menu.Root>
        <Menu.Trigger aria-label={words.add} title={words.add} data-testid="attach" className="inline-flex size-6 shrink-0 items-center justify-center rounded-md text-soft hover:bg-sunken hover:text-ink data-popup-open:bg-sunken data-popup-open:text-ink"><Paperclip size={13} /></Menu.Trigger>
        <Menu.Portal>
          <Menu.Positioner side="top" align="start" sideOffset={6} collisionPadding={8} className="z-30">
            <Menu.Popup className="min-w-44 tiny:min-w-0 max-w-(--available-width) rounded-lg border border-line bg-surface p-1 text-sm shadow-float outline-none">
              <MenuItem testId="attach-file" icon={<FileUp aria-hidden size={14} />} onClick={() => picker.current?.click()}>{words.file}</MenuItem>
              {onPage && <MenuItem testId="attach-page" icon={<Globe aria-hidden size={14} />} onClick={() => onPage("page")}>{words.page}</MenuItem>}
              {onPage && <MenuItem testId="attach-selection" icon={<TextSelect aria-hidden size={14} />} onClick={() => onPage("selection")}>{words.selection}</MenuItem>}
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
      <input
        ref={picker}
        type="file"
        multiple
        hidden
        aria-label={words.file}
        data-testid="attach-picker"
        onChange={(event) => {
          onFiles([...(event.target.files ?? [])]);
          event.target.value = "";
        }}
      />
    </>
  );
});
