/** While the older part is summarised: that it is, or when it is tried again. */
import type { SessionView } from "../../agent/session-view.ts";
import { Spinner } from "../common/spinner.tsx";
import { useNow } from "../common/use-now.ts";
import { useText } from "../text/use-text.ts";
import type { ChatActions } from "./chat-actions.ts";
import { RetryCountdown } from "./retry-countdown.tsx";

interface MakingRoomProps {
  session: Pick<SessionView, "compacting" | "compactRetry">;
  model: string;
  actions: Pick<ChatActions, "resume" | "stop">;
}

export function MakingRoom({ session: { compacting, compactRetry }, model, actions }: MakingRoomProps) {
  const text = useText();
  const now = useNow(compactRetry ? 500 : null);
  if (compactRetry && compactRetry.at > now) {
    return <div className="pb-4"><RetryCountdown retry={compactRetry} what={text.turns.summaryWaits} model={model} onNow={actions.resume} onCancel={actions.stop} /></div>;
  }
  return compacting && <p data-testid="compacting" className="flex items-center gap-1.5 pb-4 text-xs text-soft"><Spinner size={12} />{text.turns.compacting}</p>;
}
