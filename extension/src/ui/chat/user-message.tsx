/** What the person asked. */
import { useText } from "../text/use-text.ts";

export function UserMessage({ message }: { message: string }) {
  const text = useText();
  return (
    <div data-testid="user-message" className="self-end rounded-lg rounded-br-sm bg-sunken px-3 py-2 text-base whitespace-pre-wrap">
      <span className="sr-only">{text.chat.you}: </span>
      {message}
    </div>
  );
}
