/** The three things a first session needs, and how far one is: the host, a folder, a model. Gone once a session was begun. */
import { Check } from "lucide-react";
import type { AppView, ConnectionView } from "../../app/views.ts";
import { classNames } from "../common/class-names.ts";
import { useText } from "../text/use-text.ts";

interface FirstStepsProps {
  app: AppView;
  connection: ConnectionView;
}

export function FirstSteps({ app, connection }: FirstStepsProps) {
  const text = useText();
  const words = text.firstRun;
  if (app.sessions.length > 0 && connection.state !== "failed" && app.workspaces?.length !== 0) return null;
  const hasHost = connection.state === "connected";
  const hasFolder = hasHost && (app.workspaces?.some(({ available }) => available) ?? false);
  const hasModel = hasFolder && app.models.some(({ kind }) => kind !== "demo");
  const steps = [
    { name: words.steps.host, done: hasHost },
    { name: words.steps.folder, done: hasFolder },
    { name: words.steps.model, done: hasModel },
  ];
  const current = steps.findIndex(({ done }) => !done);
  return (
    <ol aria-label={words.way} data-testid="first-steps" className="mx-auto flex w-full max-w-120 shrink-0 gap-1 px-4 pt-4">
      {steps.map((step, place) => (
        <li key={step.name} data-done={step.done} aria-current={place === current ? "step" : undefined} className={classNames("flex min-w-0 flex-1 flex-col gap-1.5 text-2xs", place === current ? "font-medium text-ink" : "text-soft")}>
          <span aria-hidden data-bar={step.done ? "done" : place === current ? "now" : "later"} className={classNames("h-1 rounded-full", step.done ? "bg-good" : place === current ? "bg-accent" : "bg-line")} />
          <span className="flex items-center gap-1"><span className="truncate">{step.name}</span>{step.done && <><Check aria-hidden size={11} className="shrink-0 text-good" /><span className="sr-only">{words.done}</span></>}</span>
        </li>
      ))}
    </ol>
  );
}
