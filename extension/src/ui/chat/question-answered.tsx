/** A question that is over: what was asked and what was answered, to read and no more. */
import { CircleHelp } from "lucide-react";
import type { QuestionAnswer, QuestionField } from "../../agent/events.ts";
import type { ToolCallView } from "../../agent/session-view.ts";
import { VisibleText } from "../common/visible-text.tsx";
import { useText } from "../text/use-text.ts";

export function QuestionAnswered({ asked }: { asked: NonNullable<ToolCallView["question"]> }) {
  const text = useText();
  const words = text.work;
  const { question, status, answer } = asked;
  const shown = (field: QuestionField): string => {
    const value: QuestionAnswer[string] | undefined = answer?.[field.id];
    if (value === undefined) return words.noValue;
    if (typeof value === "boolean") return value ? text.question.yes : text.question.no;
    const label = (one: string) => field.options.find((option) => option.value === one)?.label ?? one;
    return typeof value === "string" ? label(value) : value.map(label).join(", ");
  };
  return (
    <section data-testid="question-answered" data-status={status} aria-label={text.question.landmark} className="border-t border-line px-2.5 py-2 text-xs">
      <p className="flex items-start gap-1.5">
        <CircleHelp aria-hidden size={13} className="mt-0.5 shrink-0 text-soft" />
        <span className="min-w-0 flex-1 font-medium break-words"><VisibleText value={question.title} /></span>
        <span className="shrink-0 text-2xs text-soft">{status === "completed" ? words.answered : words.unanswered}</span>
      </p>
      {status === "completed" && (
        <dl aria-label={words.yourAnswer} className="mt-1 flex flex-col gap-1 ps-5">
          {question.fields.map((field) => (
            <div key={field.id}>
              <dt className="text-2xs text-soft"><VisibleText value={field.label} oneLine /></dt>
              <dd className="break-words whitespace-pre-wrap"><VisibleText value={shown(field)} /></dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  );
}
