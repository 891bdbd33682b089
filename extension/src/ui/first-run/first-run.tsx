/** An empty conversation: what this is, and three ways to begin. */
import { ArrowRight } from "lucide-react";
import { useText } from "../text/use-text.ts";
import { ModelStep } from "./model-step.tsx";

interface FirstRunProps {
  canStart: boolean;
  onStart: (task: string) => void;
}

export function FirstRun({ canStart, onStart }: FirstRunProps) {
  const text = useText();
  return (
    <div className="mx-auto flex w-full max-w-120 flex-1 flex-col px-4 py-6">
      <h2 data-landing tabIndex={-1} className="text-xl font-semibold tracking-tight outline-none">{text.firstRun.greeting}</h2>
      <p className="mt-1 text-sm text-soft">{text.firstRun.intro}</p>
      <ul aria-label={text.firstRun.suggested} className="mt-5 divide-y divide-line overflow-clip rounded-lg border border-line bg-surface">
        {text.firstRun.suggestions.map((suggestion) => (
          <li key={suggestion.title}>
            <button
              type="button"
              data-testid="suggestion"
              disabled={!canStart}
              onClick={() => onStart(suggestion.task)}
              className="flex w-full items-center gap-2 px-3 py-2.5 text-start hover:not-disabled:bg-sunken disabled:cursor-default disabled:text-soft"
            >
              <span className="flex-1">{suggestion.title}</span>
              <ArrowRight aria-hidden size={14} className="text-soft rtl:rotate-180" />
            </button>
          </li>
        ))}
      </ul>
      <ModelStep />
    </div>
  );
}
