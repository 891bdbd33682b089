/** What the person asked; in other words on a branch of its own, when they want it so. */
import { Pencil } from "lucide-react";
import type { ReactNode } from "react";
import { IconButton } from "../common/icon-button.tsx";
import { useText } from "../text/use-text.ts";

interface UserMessageProps {
  message: string;
  /** Null: it cannot be edited now. */
  onEdit?: (() => void) | null;
  /** Below it: the other ways it was said. */
  children?: ReactNode;
}

export function UserMessage({ message, onEdit = null, children }: UserMessageProps) {
  const text = useText();
  return (
    <div className="group/said flex flex-col items-end gap-0.5">
      <div className="flex max-w-full items-center gap-1">
        {onEdit && <IconButton className="opacity-0 group-focus-within/said:opacity-100 group-hover/said:opacity-100" label={text.turns.edit} icon={<Pencil size={13} />} onClick={onEdit} />}
        <div data-testid="user-message" data-wash hidden={message === ""} className="min-w-0 rounded-lg rounded-ee-sm bg-sunken px-3 py-2 text-base whitespace-pre-wrap">
          <h2 className="sr-only">{text.chat.you}</h2>
          {message}
        </div>
      </div>
      {children}
    </div>
  );
}
