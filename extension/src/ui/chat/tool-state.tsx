/** How a call stands: an icon with a name for readers. */
import { Ban, Check, CircleDashed, CircleSlash, Hand, X } from "lucide-react";
import type { ReactNode } from "react";
import type { ToolCallState } from "../../agent/session-view.ts";
import { Spinner } from "../common/spinner.tsx";
import { useText } from "../text/use-text.ts";

const icons: Record<ToolCallState, ReactNode> = {
  writing: <Spinner size={13} />,
  queued: <CircleDashed size={13} className="text-soft" />,
  running: <Spinner size={13} />,
  waiting: <Hand size={13} className="text-warn" />,
  answered: <Spinner size={13} />,
  done: <Check size={13} className="text-good" />,
  failed: <X size={13} className="text-bad" />,
  denied: <Ban size={13} className="text-soft" />,
  cancelled: <CircleSlash size={13} className="text-soft" />,
  dropped: <CircleSlash size={13} className="text-soft" />,
};

export function ToolState({ state }: { state: ToolCallState }) {
  const text = useText();
  return (
    <span title={text.tool.states[state]} className="shrink-0">
      <span className="sr-only">{text.tool.states[state]}</span>
      {icons[state]}
    </span>
  );
}
