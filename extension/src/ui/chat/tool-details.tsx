/** Everything about one call: parameters, live output, result or error. */
import type { ToolCallView } from "../../agent/session-view.ts";
import { besideOutput } from "../../lib/beside-output.ts";
import { AnsweredPlan } from "../approvals/answered-plan.tsx";
import { AttachmentList } from "../attach/attachment-list.tsx";
import { CodeBlock } from "../common/code-block.tsx";
import { Disclosure } from "../common/disclosure.tsx";
import { VisibleText } from "../common/visible-text.tsx";
import { useText } from "../text/use-text.ts";
import { ToolFailure } from "./tool-failure.tsx";
import { ToolOutput } from "./tool-output.tsx";
import { ToolPart } from "./tool-part.tsx";

export function ToolDetails({ call }: { call: ToolCallView }) {
  const text = useText();
  const parameters = call.args === null ? call.argsText : JSON.stringify(call.args, null, 2);
  const said = call.result === null ? "" : call.outputSkippedBytes > 0 ? call.result.text : besideOutput(call.result.text, call.output);
  const { answer = null, plan = null } = call.approval ?? {};
  // What it was denied with is the person's own, and stands above; the rest is for the model.
  const wasDenied = answer?.decision === "deny" && answer.by === "user";
  return (
    <div className="flex flex-col gap-2">
      {answer?.note ? <ToolPart title={text.tool.note}><p className="text-xs"><VisibleText value={answer.note} /></p></ToolPart> : null}
      {call.output !== "" && (
        <ToolPart title={text.tool.output}>
          <ToolOutput output={call.output} skippedBytes={call.outputSkippedBytes} />
        </ToolPart>
      )}
      {call.result?.isError && !wasDenied && <ToolFailure result={call.result} />}
      {call.result && !call.result.isError && (said !== "" || call.result.pictures) && (
        <ToolPart title={call.result.replayed ? text.tool.resultReplayed : text.tool.result}>
          {said !== "" && <CodeBlock code={said} wraps />}
          {call.result.pictures && <div className="mt-1.5 flex"><AttachmentList attachments={call.result.pictures} /></div>}
        </ToolPart>
      )}
      {answer && plan && (
        <Disclosure summary={answer.decision === "allow" ? text.tool.allowed : text.tool.denied} startsOpen={call.output === ""}>
          <AnsweredPlan plan={plan} />
        </Disclosure>
      )}
      {/* A plan says all that the parameters say, and more. */}
      <Disclosure summary={text.tool.parameters} startsOpen={call.approval === null}>
        <CodeBlock code={parameters} wraps />
      </Disclosure>
    </div>
  );
}
