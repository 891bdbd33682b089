/** One call on one line: what, on what, how it stands, how long. Opened, it shows everything. */
import { ChevronRight } from "lucide-react";
import { memo, useId, useState } from "react";
import type { ToolCallView } from "../../agent/session-view.ts";
import { classNames } from "../common/class-names.ts";
import { useText } from "../text/use-text.ts";
import { tellingArgument } from "../../lib/telling-argument.ts";
import { MainArgument } from "./main-argument.tsx";
import { ToolDetails } from "./tool-details.tsx";
import { ToolIcon } from "./tool-icon.tsx";
import { ToolProgress } from "./tool-progress.tsx";
import { ToolState } from "./tool-state.tsx";
import { ToolTime } from "./tool-time.tsx";

/** Views that did not change are the same objects, so a streamed word draws one step again and no more. */
export const ToolCard = memo(function ToolCard({ call }: { call: ToolCallView }) {
  const text = useText();
  const [open, setOpen] = useState(false);
  const bodyId = useId();
  const gone = call.state === "dropped" || call.state === "cancelled" || call.state === "denied";
  return (
    <div data-testid="tool-card" data-tool={call.tool} data-state={call.state} data-call={call.id}>
      <button
        type="button"
        aria-expanded={open}
        aria-controls={open ? bodyId : undefined}
        onClick={() => setOpen(!open)}
        className="flex min-h-7 w-full items-center gap-2 px-2.5 text-start text-xs hover:bg-sunken"
      >
        <ToolIcon tool={call.tool} />
        <span className={classNames("shrink-0 font-mono", gone && "text-soft line-through")}>{call.tool}</span>
        <MainArgument value={tellingArgument(call.args)} />
        <ToolTime call={call} />
        <ToolState state={call.state} />
        <ChevronRight aria-hidden size={12} className={classNames("shrink-0 text-soft transition-transform", open && "rotate-90")} />
        <span className="sr-only">{text.tool.details}</span>
      </button>
      {call.state === "running" && call.progress && <ToolProgress progress={call.progress} />}
      {open && (
        <div id={bodyId} className="border-t border-line px-2.5 py-2">
          <ToolDetails call={call} />
        </div>
      )}
    </div>
  );
});
