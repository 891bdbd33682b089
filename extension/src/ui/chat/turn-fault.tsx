/** Why a turn stopped before its end, and the way on. */
import { CirclePause, CircleX } from "lucide-react";
import type { TurnView } from "../../agent/session-view.ts";
import { Button } from "../common/button.tsx";
import { Notice } from "../common/notice.tsx";
import { useText } from "../text/use-text.ts";

export function TurnFault({ turn, onResume }: { turn: TurnView; onResume: () => void }) {
  const text = useText();
  if (turn.paused) {
    return (
      <Notice tone="warn" icon={<CirclePause size={14} className="text-warn" />} title={turn.paused.message} actions={<Button weight="primary" data-testid="continue" onClick={onResume}>{text.chat.goOn}</Button>} />
    );
  }
  if (!turn.fault) return null;
  return (
    <Notice
      tone="bad"
      icon={<CircleX size={14} className="text-bad" />}
      title={turn.fault.message}
      actions={turn.canRetry ? <Button data-testid="retry" onClick={onResume}>{text.common.retry}</Button> : null}
    >
      {turn.fault.hint}
    </Notice>
  );
}
