/** The paths that go into the next commit, or out of it. */
import type { Preview } from "../../wire/plan.ts";
import { VisibleText } from "../common/visible-text.tsx";
import { useText } from "../text/use-text.ts";

export function StagePreview({ stage }: { stage: Extract<Preview, { kind: "stage" }> }) {
  const text = useText();
  return (
    <div className="px-3 py-2">
      <p className="text-xs text-soft">{stage.action === "stage" ? text.approval.stage.stage : text.approval.stage.unstage}</p>
      <ul className="mt-1 flex flex-col gap-0.5 font-mono text-xs">
        {stage.paths.map((path) => (
          <li key={path} className="wrap-anywhere">
            <span aria-hidden className="me-2 text-soft">{stage.action === "stage" ? "+" : "−"}</span>
            <VisibleText value={path} oneLine wraps />
          </li>
        ))}
      </ul>
    </div>
  );
}
