/** How far a running call is, as the host tells it. */
import type { ToolCallView } from "../../agent/session-view.ts";
import { VisibleText } from "../common/visible-text.tsx";
import { useText } from "../text/use-text.ts";

export function ToolProgress({ progress }: { progress: NonNullable<ToolCallView["progress"]> }) {
  const text = useText();
  return (
    <div className="flex items-center gap-2 px-2.5 pb-1.5 text-2xs text-soft">
      {progress.total !== null && <progress aria-label={text.tool.progress} value={progress.progress} max={progress.total} className="h-1 w-16 shrink-0" />}
      {progress.message !== null && <span className="truncate"><VisibleText value={progress.message} oneLine /></span>}
    </div>
  );
}
