/** What was asked on the side and answered, as it streams. */
import type { SessionView } from "../../agent/session-view.ts";
import type { ChatActions } from "../chat/chat-actions.ts";
import { RetryCountdown } from "../chat/retry-countdown.tsx";
import { TurnFault } from "../chat/turn-fault.tsx";
import { Button } from "../common/button.tsx";
import { Spinner } from "../common/spinner.tsx";
import { faultWords } from "../common/fault-words.ts";
import { Markdown } from "../markdown/markdown.tsx";
import { modelOf } from "../models/model-name.ts";
import { useText } from "../text/use-text.ts";

interface SideTalkProps {
  session: SessionView;
  actions: Pick<ChatActions, "resume" | "retry" | "stop">;
}

export function SideTalk({ session, actions }: SideTalkProps) {
  const text = useText();
  const last = session.turns.at(-1);
  return (
    <div data-testid="side-talk" data-state={session.status} className="flex flex-col gap-2">
      {session.turns.map((turn) => {
        const said = turn.steps.map((step) => step.text).filter((words) => words !== "").join("\n\n");
        const retry = turn.steps.at(-1)?.retry ?? null;
        return (
          <section key={turn.message.id} className="flex flex-col gap-1.5">
            <p data-wash className="self-end rounded-lg rounded-ee-sm bg-sunken px-2.5 py-1.5 text-sm whitespace-pre-wrap">{turn.message.text}</p>
            {said !== "" && <Markdown source={said} />}
            {turn.status === "running" && retry && <RetryCountdown retry={retry} model={modelOf(turn, text)} onNow={actions.resume} onCancel={actions.stop} />}
            {turn.status === "running" && !retry && (
              <p className="flex items-center gap-1.5 text-xs text-soft">
                <Spinner size={12} />
                <span className="flex-1">{text.chat.working}</span>
                <Button weight="quiet" data-testid="side-stop" disabled={turn.stopping} onClick={actions.stop}>{turn.stopping ? text.composer.stopping : text.composer.stop}</Button>
              </p>
            )}
            {/* Only the last one can go on. */}
            {turn === last ? <TurnFault turn={turn} actions={actions} /> : turn.fault && <p className="text-xs text-bad">{faultWords(turn.fault, text, modelOf(turn, text)).title}</p>}
          </section>
        );
      })}
    </div>
  );
}
