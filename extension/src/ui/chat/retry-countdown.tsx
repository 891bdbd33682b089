/** The model server did not answer; when the next try comes, and the ways to shorten or end the wait. */
import { RotateCw } from "lucide-react";
import type { StepView } from "../../agent/session-view.ts";
import { Button } from "../common/button.tsx";
import { faultWords } from "../common/fault-words.ts";
import { Notice } from "../common/notice.tsx";
import { Still } from "../common/still.tsx";
import { useNow } from "../common/use-now.ts";
import { useText } from "../text/use-text.ts";

interface RetryCountdownProps {
  retry: NonNullable<StepView["retry"]>;
  /** What has to wait, in a sentence, where it is not the answer itself. */
  what?: string;
  /** What the model is called. */
  model: string;
  onNow: () => void;
  onCancel: () => void;
}

/** Twice a second: the number on the screen is never a whole second late. */
const TICK_MS = 500;

export function RetryCountdown({ retry, what, model, onNow, onCancel }: RetryCountdownProps) {
  const text = useText();
  const now = useNow(TICK_MS);
  const seconds = Math.max(0, Math.ceil((retry.at - now) / 1000));
  return (
    <Notice
      icon={<RotateCw size={14} className="text-soft" />}
      title={<span className="tabular-nums">{text.chat.retryIn(seconds)}</span>}
      actions={
        <Still arrives className="contents">
          <Button data-testid="retry-now" onClick={onNow}>{text.chat.retryNow}</Button>
          <Button weight="quiet" onClick={onCancel}>{text.chat.retryCancel}</Button>
        </Still>
      }
    >
      {what} {faultWords(retry.fault, text, model).title} {text.chat.attempt(retry.attempt)}
    </Notice>
  );
}
