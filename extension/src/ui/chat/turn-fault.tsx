/** Why a turn stopped before its end, and the way on. */
import { CirclePause, CircleX } from "lucide-react";
import { useContext } from "react";
import type { TurnView } from "../../agent/session-view.ts";
import { Button } from "../common/button.tsx";
import { FaultDetail } from "../common/fault-detail.tsx";
import { faultWords, pauseWords } from "../common/fault-words.ts";
import { Notice } from "../common/notice.tsx";
import { Still } from "../common/still.tsx";
import { modelOf } from "../models/model-name.ts";
import { PanelContext } from "../panel/panel-context.ts";
import { useText } from "../text/use-text.ts";
import type { ChatActions } from "./chat-actions.ts";

/** What is mended where the model is set up: its key, its address, its name. */
const AT_THE_MODEL: ReadonlySet<string> = new Set(["key_refused", "not_allowed", "model_not_found", "redirected", "no_stream", "network", "provider_error", "refused"]);

export function TurnFault({ turn, actions }: { turn: TurnView; actions: Pick<ChatActions, "resume" | "retry"> }) {
  const text = useText();
  const panel = useContext(PanelContext);
  if (turn.paused) {
    return (
      <Notice tone="warn" icon={<CirclePause size={14} className="text-warn" />} title={pauseWords(turn.paused, text)} actions={<Still arrives className="contents"><Button weight="primary" data-testid="continue" onClick={actions.resume}>{text.chat.goOn}</Button></Still>} />
    );
  }
  if (!turn.fault) return null;
  const { title, hint, detail } = faultWords(turn.fault, text, modelOf(turn, text));
  const part = turn.fault.code === "keys_locked" ? "models" : AT_THE_MODEL.has(turn.fault.code) && panel?.app.models.some(({ id, kind }) => id === turn.model && kind !== "demo") ? `models/${turn.model}` : null;
  const settings = panel !== null && part !== null && <Button weight="quiet" data-testid="fault-settings" onClick={() => panel.go({ screen: "settings", part })}>{text.faults.atTheModel}</Button>;
  return (
    <Notice
      tone="bad"
      icon={<CircleX size={14} className="text-bad" />}
      title={title}
      actions={(turn.canRetry || settings) && <Still arrives className="contents">{turn.canRetry && <Button data-testid="retry" onClick={() => actions.retry(turn)}>{text.common.retry}</Button>}{settings}</Still>}
    >
      {hint}
      <FaultDetail detail={detail} />
    </Notice>
  );
}
