/** What the person asked. */
import { useText } from "../text/use-text.ts";

export function UserMessage({ message }: { message: string }) {
  const text = useText();
  return (
    <div data-testid="user-message" data-wash className="self-end rounded-lg rounded-br-sm bg-sunken px-3 py-2 text-base whitespace-pre-wrap">
      <h2 className="sr-only">{text.chat.you}</h2>
      {message}
    </div>
  );
}
