/** What was begun from a conversation: sub-agents, side threads, scheduled runs, copies; each with how it stands, and the way to it. */
import { AlarmClock, Bot, Copy, MessageCircleQuestion } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import type { ChildView } from "../../app/views.ts";
import type { Chat } from "../chat/chat.ts";
import { Sheet } from "../common/sheet.tsx";
import { Spinner } from "../common/spinner.tsx";
import { FactsLine } from "../common/facts-line.tsx";
import { TimeAgo } from "../common/time-ago.tsx";
import { REFUSED } from "../panel/use-intents.ts";
import { useText } from "../text/use-text.ts";

const icons: Record<ChildView["kind"], ReactNode> = {
  subagent: <Bot aria-hidden size={14} />,
  side: <MessageCircleQuestion aria-hidden size={14} />,
  schedule: <AlarmClock aria-hidden size={14} />,
  fork: <Copy aria-hidden size={14} />,
};

interface ChildrenSheetProps {
  chat: Chat;
  onClose: () => void;
}

export function ChildrenSheet({ chat, onClose }: ChildrenSheetProps) {
  const text = useText();
  const words = text.work;
  const { session, send } = chat;
  const [children, setChildren] = useState<readonly ChildView[] | null>(null);
  useEffect(() => {
    if (session === null) return;
    let isCurrent = true;
    void send("listChildren", { session }).then((found) => isCurrent && setChildren(found === REFUSED ? [] : found.children));
    return () => {
      isCurrent = false;
    };
  }, [session, send]);
  const show = (child: ChildView) => {
    onClose();
    if (child.kind === "side") chat.openSheet({ kind: "side", session: child.id, question: "" });
    else chat.open(child.id);
  };
  return (
    <Sheet testId="children-sheet" title={words.children} onClose={onClose}>
      {children === null && <p className="flex items-center gap-2 text-xs text-soft"><Spinner size={12} />{words.looking}</p>}
      {children?.length === 0 && <p className="text-xs text-soft">{words.noChildren}</p>}
      <ul className="divide-y divide-line">
        {children?.map((child) => (
          <li key={child.id}>
            <button type="button" data-testid="child" data-kind={child.kind} onClick={() => show(child)} className="flex w-full items-start gap-2 rounded-md px-1 py-1.5 text-start hover:bg-sunken">
              <span className="mt-0.5 shrink-0 text-soft">{icons[child.kind]}</span>
              <span className="min-w-0 flex-1">
                <span className="line-clamp-2 text-sm">{child.title || words.childKinds[child.kind]}</span>
                <span className="block text-2xs text-soft">
                  <FactsLine>
                    {words.childKinds[child.kind]}
                    <span className={child.status === "needs_you" ? "text-warn" : ""}>{words.agentStates[child.status]}</span>
                    <TimeAgo at={child.updatedAt} />
                  </FactsLine>
                </span>
              </span>
            </button>
          </li>
        ))}
      </ul>
    </Sheet>
  );
}
