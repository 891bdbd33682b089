/** What the agent wants to know. Its words are shown as they are; its link has a button of its own, and says where it leads. */
import { ExternalLink } from "lucide-react";
import { type FormEvent, type KeyboardEvent, useRef, useState } from "react";
import type { QuestionAnswer } from "../../agent/events.ts";
import type { ToolCallView } from "../../agent/session-view.ts";
import { useHandBackFocus } from "../approvals/use-hand-back-focus.ts";
import { useArmed } from "../approvals/use-armed.ts";
import { useStirred } from "../approvals/use-stirred.ts";
import { Button } from "../common/button.tsx";
import { forgetKept, useKept } from "../common/use-kept.ts";
import { VisibleText } from "../common/visible-text.tsx";
import { useText } from "../text/use-text.ts";
import { QuestionField } from "./question-field.tsx";

interface QuestionCardProps {
  /** Its call: what is filled in belongs to it, and outlives a look at another screen. */
  call: string;
  asked: NonNullable<ToolCallView["question"]>;
  /** Resolves to false where the answer was not taken. */
  onAnswer: (answer: QuestionAnswer) => Promise<boolean>;
  onSkip: () => Promise<boolean>;
}

export function QuestionCard({ call, asked, onAnswer, onSkip }: QuestionCardProps) {
  const text = useText();
  const { title, fields, link } = asked.question;
  const [answer, setAnswer] = useKept<QuestionAnswer>(call, "answer", () => ({}));
  const [sent, setSent] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  useHandBackFocus(form);
  const armed = useArmed();
  const { stirred, onClickCapture } = useStirred(form, "[data-testid=question-skip]");
  const missing = fields.some((field) => field.required && isEmpty(answer[field.id]));
  const send = async (act: () => Promise<boolean>) => {
    setSent(true);
    if (await act()) forgetKept(call);
    else setSent(false);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!missing && !sent) void send(() => onAnswer(Object.fromEntries(Object.entries(answer).filter(([, value]) => !isEmpty(value)))));
  };
  const onKeyDown = (event: KeyboardEvent<HTMLFormElement>) => {
    if (event.nativeEvent.isComposing) return;
    // A text may have lines of its own, so Enter alone sends nothing; and leaving the form is no wish to stop the agent.
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) event.currentTarget.requestSubmit();
    else if (event.key === "Escape") event.currentTarget.closest<HTMLElement>("[role=log]")?.focus({ preventScroll: true });
    else return;
    event.preventDefault();
  };
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the keys are shortcuts for what is in the form.
    <form ref={form} tabIndex={-1} data-region data-testid="question-card" data-armed={armed && !stirred} aria-label={text.question.landmark} onSubmit={submit} onClickCapture={onClickCapture} onKeyDown={onKeyDown} className="flex flex-col gap-3 border-t border-line bg-warn-wash px-2.5 py-2.5">
      <p className="font-medium">
        <VisibleText value={title} />
      </p>
      {link !== null && (
        <a href={link} target="_blank" rel="noreferrer noopener" className="inline-flex items-center gap-1.5 text-xs text-accent underline">
          <ExternalLink aria-hidden size={12} />
          <VisibleText value={text.question.open(link)} oneLine />
        </a>
      )}
      {fields.map((field) => (
        <QuestionField key={field.id} field={field} value={answer[field.id]} onChange={(value) => setAnswer({ ...answer, [field.id]: value })} />
      ))}
      <div className="flex flex-wrap gap-1.5">
        <Button type="submit" weight="primary" data-testid="question-send" disabled={missing || sent}>{text.question.send}</Button>
        <Button weight="quiet" data-testid="question-skip" disabled={sent} onClick={() => void send(onSkip)}>{text.question.skip}</Button>
      </div>
    </form>
  );
}

function isEmpty(value: QuestionAnswer[string] | undefined): boolean {
  return value === undefined || value === "" || (Array.isArray(value) && value.length === 0);
}
