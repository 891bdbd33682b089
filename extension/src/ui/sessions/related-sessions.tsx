/** Sub-agents, side threads, forks and scheduled runs that belong to a session. */
import { CalendarClock, CornerDownRight, GitFork, MessageSquareDashed, Users, X } from "lucide-react";
import type { ReactNode } from "react";
import type { ChildView } from "../../app/views.ts";
import { AskedBody } from "../common/asked-body.tsx";
import { IconButton } from "../common/icon-button.tsx";
import { usePanel } from "../panel/panel-context.ts";
import { useAsked } from "../panel/use-asked.ts";
import { useText } from "../text/use-text.ts";
import { SessionState } from "./session-state.tsx";

const icons: Record<ChildView["kind"], ReactNode> = {
  subagent: <Users aria-hidden size={12} />,
  side: <MessageSquareDashed aria-hidden size={12} />,
  schedule: <CalendarClock aria-hidden size={12} />,
  fork: <GitFork aria-hidden size={12} />,
};

export function RelatedSessions({ session, onClose }: { session: string; onClose: () => void }) {
  const text = useText();
  const { go } = usePanel();
  const asked = useAsked("listChildren", { session });
  return (
    <div data-testid="related" className="flex items-start gap-1 px-2 pb-2">
      <CornerDownRight aria-hidden size={12} className="mt-1.5 shrink-0 text-soft rtl:-scale-x-100" />
      <div className="min-w-0 flex-1">
        <AskedBody asked={asked}>
          {({ children }) =>
            children.length === 0 ? (
              <p className="py-1 text-xs text-soft">{text.sessions.noRelated}</p>
            ) : (
              <ul>
                {children.map((child) => (
                  <li key={child.id}>
                    <button type="button" onClick={() => go({ screen: "chat", session: child.id })} className="flex w-full min-w-0 items-center gap-1.5 rounded-sm px-1 py-1 text-start text-xs hover:bg-line">
                      <span className="shrink-0 text-soft" title={text.sessions.kinds[child.kind]}>{icons[child.kind]}<span className="sr-only">{text.sessions.kinds[child.kind]}</span></span>
                      <span className="min-w-0 flex-1 truncate">{child.title || text.sessions.kinds[child.kind]}</span>
                      <SessionState status={child.status} />
                    </button>
                  </li>
                ))}
              </ul>
            )
          }
        </AskedBody>
      </div>
      <IconButton label={text.common.close} icon={<X size={13} />} onClick={onClose} />
    </div>
  );
}
