/** The steps of the way to the host, each with how it stands. */
import { Check, Circle, X } from "lucide-react";
import type { ReactNode } from "react";
import type { ConnectionView } from "../../app/views.ts";
import { classNames } from "../common/class-names.ts";
import { Spinner } from "../common/spinner.tsx";
import { useText } from "../text/use-text.ts";
import { STEPS, type StepState, stepsOf } from "./steps.ts";

const icons: Record<StepState, ReactNode> = {
  done: <Check aria-hidden size={13} className="text-good" />,
  failed: <X aria-hidden size={13} className="text-bad" />,
  working: <Spinner size={13} />,
  unknown: <Circle aria-hidden size={11} className="text-edge" />,
};

export function StepList({ connection }: { connection: ConnectionView }) {
  const text = useText();
  const words = text.connection;
  const states = stepsOf(connection);
  return (
    <ol aria-label={words.way} data-testid="connection-steps" className="rounded-lg border border-line bg-surface px-3 py-1.5">
      {STEPS.map((step) => (
        <li key={step} data-step={step} data-state={states[step]} className={classNames("flex items-center gap-2 py-1 text-xs", states[step] === "failed" ? "font-medium" : states[step] === "unknown" && "text-soft")}>
          <span className="inline-flex w-4 justify-center">{icons[states[step]]}</span>
          <span className="min-w-0 flex-1">{words.steps[step]}</span>
          <span className="sr-only">{words.stepStates[states[step]]}</span>
        </li>
      ))}
    </ol>
  );
}
