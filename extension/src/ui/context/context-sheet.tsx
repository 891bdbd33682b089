/** What is in the model's window, what the next request holds, and what it all cost. */
import { useState } from "react";
import type { SessionView } from "../../agent/session-view.ts";
import type { Chat } from "../chat/chat.ts";
import { Pills } from "../common/pills.tsx";
import { Sheet } from "../common/sheet.tsx";
import { useText } from "../text/use-text.ts";
import { ContextUse } from "./context-use.tsx";
import { CostView } from "./cost-view.tsx";
import { PromptView } from "./prompt-view.tsx";

export type ContextPage = "use" | "prompt" | "cost";

interface ContextSheetProps {
  chat: Chat;
  session: SessionView;
  startsWith: ContextPage;
  onClose: () => void;
}

export function ContextSheet({ chat, session, startsWith, onClose }: ContextSheetProps) {
  const text = useText();
  const [page, setPage] = useState<ContextPage>(startsWith);
  const { views } = text.meter;
  return (
    <Sheet testId="context-sheet" title={text.meter.title} onClose={onClose}>
      <div className="flex flex-col gap-3">
        <Pills<ContextPage> label={text.meter.title} hidesLabel testId="context-pages" pills={(["use", "prompt", "cost"] as const).map((value) => ({ value, label: views[value], testId: `context-page-${value}` }))} value={page} onChange={setPage} />
        {page === "use" && <ContextUse session={session} onCompact={() => void chat.send("compact", { session: session.id })} />}
        {page === "prompt" && <PromptView chat={chat} session={session.id} />}
        {page === "cost" && <CostView session={session} />}
      </div>
    </Sheet>
  );
}
