/** Over a conversation that no person began: what it is, and the way to the one it belongs to. A copy says that of itself. */
import { CornerUpLeft } from "lucide-react";
import { Button } from "../common/button.tsx";
import { useText } from "../text/use-text.ts";
import type { Chat } from "./chat.ts";

export function OriginStrip({ chat: { origin, open } }: { chat: Pick<Chat, "origin" | "open"> }) {
  const text = useText();
  if (origin === null || origin.kind === "fork") return null;
  const { session } = origin;
  return (
    <div data-testid="origin-strip" className="mx-auto flex min-h-8 w-full max-w-180 shrink-0 items-center gap-2 px-3 pt-1 text-xs text-soft">
      <span className="min-w-0 flex-1">{text.work.childKinds[origin.kind]}</span>
      {session !== null && <Button weight="quiet" data-testid="to-parent" icon={<CornerUpLeft aria-hidden size={13} />} onClick={() => open(session)}>{text.work.toParent}</Button>}
    </div>
  );
}
