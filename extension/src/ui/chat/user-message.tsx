/** What the person asked; in other words on a branch of its own, when they want it so. A long one shows its beginning: what was answered is near. */
import { Pencil } from "lucide-react";
import { type ReactNode, useState } from "react";
import { Button } from "../common/button.tsx";
import { classNames } from "../common/class-names.ts";
import { IconButton } from "../common/icon-button.tsx";
import { useText } from "../text/use-text.ts";

interface UserMessageProps {
  message: string;
  /** Null: it cannot be edited now. */
  onEdit?: (() => void) | null;
  /** Below it: the other ways it was said. */
  children?: ReactNode;
}

/** More than a panel of the smallest size shows at once. */
const LONG_LINES = 24;
const LONG_CHARS = 1_500;

export function UserMessage({ message, onEdit = null, children }: UserMessageProps) {
  const text = useText();
  const [open, setOpen] = useState(false);
  const isLong = message.length > LONG_CHARS || message.split("\n", LONG_LINES + 1).length > LONG_LINES;
  return (
    <div className="group/said flex flex-col items-end gap-0.5">
      <div className="flex max-w-full items-center gap-1">
        {onEdit && <IconButton className="opacity-0 group-focus-within/said:opacity-100 group-hover/said:opacity-100" label={text.turns.edit} icon={<Pencil size={13} />} onClick={onEdit} />}
        <div data-testid="user-message" data-said data-wash hidden={message === ""} className="min-w-0 rounded-lg rounded-ee-sm bg-sunken px-3 py-2 text-base whitespace-pre-wrap">
          <h2 className="sr-only">{text.chat.you}</h2>
          <div className={classNames(isLong && !open && "line-clamp-12")}>{message}</div>
        </div>
      </div>
      {isLong && <Button weight="quiet" data-testid="user-message-whole" aria-expanded={open} onClick={() => setOpen(!open)}>{open ? text.chat.less : text.chat.whole}</Button>}
      {children}
    </div>
  );
}
