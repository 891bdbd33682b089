/** What can be done with what is written: send it; while a turn runs, queue it or steer with it; and stop. */
import { ArrowUp, CornerDownRight, Square } from "lucide-react";
import type { QueueKind } from "../../agent/events.ts";
import { Still } from "../common/still.tsx";
import { useText } from "../text/use-text.ts";
import { RoundButton } from "./round-button.tsx";

interface SendButtonsProps {
  busy: boolean;
  stopping: boolean;
  /** There is something to send, and nothing in its way. */
  canSend: boolean;
  onSend: () => void;
  onQueue: (kind: QueueKind) => void;
  onStop: () => void;
}

export function SendButtons({ busy, stopping, canSend, onSend, onQueue, onStop }: SendButtonsProps) {
  const text = useText();
  // A turn begins and ends by itself: where Stop stood a moment ago, Send must not take the press that was meant to stop.
  return (
    <Still className="contents">
      {!busy && <RoundButton testId="send" label={text.composer.send} disabled={!canSend} onClick={onSend} icon={<ArrowUp size={15} />} />}
      {busy && canSend && <RoundButton quiet testId="steer-add" label={text.dock.sendSteer} onClick={() => onQueue("steer")} icon={<CornerDownRight size={14} />} />}
      {busy && canSend && <RoundButton testId="queue-add" label={text.dock.sendQueue} onClick={() => onQueue("queue")} icon={<ArrowUp size={15} />} />}
      {busy && <RoundButton quiet={canSend} testId="stop" label={stopping ? text.composer.stopping : text.composer.stop} disabled={stopping} onClick={onStop} icon={<Square size={11} fill="currentColor" />} />}
    </Still>
  );
}
