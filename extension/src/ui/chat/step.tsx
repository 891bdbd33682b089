/** One step of a turn: what the model thought and said, and the calls it made. */
import { memo } from "react";
import type { StepView } from "../../agent/session-view.ts";
import { Spinner } from "../common/spinner.tsx";
import { Markdown } from "../markdown/markdown.tsx";
import { useText } from "../text/use-text.ts";
import { Calls } from "./calls.tsx";
import type { ChatActions } from "./chat-actions.ts";
import { Reasoning } from "./reasoning.tsx";
import { RetryCountdown } from "./retry-countdown.tsx";

/** Views that did not change are the same objects, so a streamed word draws one step again and no more. */
export const Step = memo(function Step({ step, model, actions }: { step: StepView; model: string; actions: ChatActions }) {
  const text = useText();
  const streaming = step.state === "streaming";
  const draft = step.state === "draft";
  // A try of which nothing arrived leaves nothing: what became of it is said once, at the end of the turn.
  const isEmpty = step.text === "" && step.reasoning === "" && step.calls.length === 0;
  if (draft && isEmpty && !step.retry) return null;
  return (
    <div className="flex min-w-0 flex-col gap-2" data-state={step.state}>
      {step.reasoning !== "" && <Reasoning reasoning={step.reasoning} live={streaming && step.text === ""} />}
      {step.text !== "" && (
        <div data-testid="assistant-message" className={draft ? "text-soft" : ""}>
          <Markdown source={step.text} />
        </div>
      )}
      {draft && !isEmpty && <p className="text-xs text-soft italic">{text.chat.draft}</p>}
      {streaming && isEmpty && <p className="flex items-center gap-1.5 text-xs text-soft"><Spinner size={12} />{text.chat.working}</p>}
      {step.calls.length > 0 && <Calls calls={step.calls} actions={actions} />}
      {step.retry && <RetryCountdown retry={step.retry} model={model} onNow={actions.resume} onCancel={actions.stop} />}
    </div>
  );
});
