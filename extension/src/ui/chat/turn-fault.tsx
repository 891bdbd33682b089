/** Why a turn stopped before its end, and the way on. */
import { CirclePause, CircleX } from "lucide-react";
import type { TurnView } from "../../agent/session-view.ts";
import { Button } from "../common/button.tsx";
import { FaultDetail } from "../common/fault-detail.tsx";
import { faultWords, pauseWords } from "../common/fault-words.ts";
import { Notice } from "../common/notice.tsx";
import { modelOf } from "../models/model-name.ts";
import { useText } from "../text/use-text.ts";
import type { ChatActions } from "./chat-actions.ts";

export function TurnFault({ turn, actions }: { turn: TurnView; actions: Pick<ChatActions, "resume" | "retry"> }) {
  const text = useText();
  if (turn.paused) {
    return (
      <Notice tone="warn" icon={<CirclePause size={14} className="text-warn" />} title={pauseWords(turn.paused, text)} actions={<Button weight="primary" data-testid="continue" onClick={actions.resume}>{text.chat.goOn}</Button>} />
    );
  }
  if (!turn.fault) return null;
  const { title, hint, detail } = faultWords(turn.fault, text, modelOf(turn, text));
  return (
    <Notice
      tone="bad"
      icon={<CircleX size={14} className="text-bad" />}
      title={title}
      actions={turn.canRetry ? <Button data-testid="retry" onClick={() => actions.retry(turn)}>{text.common.retry}</Button> : null}
    >
      {hint}
      <FaultDetail detail={detail} />
    </Notice>
  );
}
