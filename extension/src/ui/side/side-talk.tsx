/** What was asked on the side and answered, as it streams. */
import type { SessionView } from "../../agent/session-view.ts";
import { Spinner } from "../common/spinner.tsx";
import { faultWords } from "../common/fault-words.ts";
import { Markdown } from "../markdown/markdown.tsx";
import { modelOf } from "../models/model-name.ts";
import { useText } from "../text/use-text.ts";

export function SideTalk({ session }: { session: SessionView }) {
  const text = useText();
  return (
    <div data-testid="side-talk" data-state={session.status} className="flex flex-col gap-2">
      {session.turns.map((turn) => {
        const said = turn.steps.map((step) => step.text).filter((words) => words !== "").join("\n\n");
        return (
          <section key={turn.message.id} className="flex flex-col gap-1.5">
            <p data-wash className="self-end rounded-lg rounded-ee-sm bg-sunken px-2.5 py-1.5 text-sm whitespace-pre-wrap">{turn.message.text}</p>
            {said !== "" && <Markdown source={said} />}
            {turn.status === "running" && said === "" && <p className="flex items-center gap-1.5 text-xs text-soft"><Spinner size={12} />{text.chat.working}</p>}
            {turn.fault && <p className="text-xs text-bad">{faultWords(turn.fault, text, modelOf(turn, text)).title}</p>}
          </section>
        );
      })}
    </div>
  );
}
