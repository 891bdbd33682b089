/** A message of the person and everything the agent did about it. An old turn folds its way and keeps its answer; a long one folds its beginning. */
import { Info, Pin } from "lucide-react";
import { memo, useState } from "react";
import type { TurnView } from "../../agent/session-view.ts";
import { AttachmentList } from "../attach/attachment-list.tsx";
import { Disclosure } from "../common/disclosure.tsx";
import { noticeWords } from "../common/host-words.ts";
import { modelOf } from "../models/model-name.ts";
import { useText } from "../text/use-text.ts";
import { BranchSwitch } from "../turns/branch-switch.tsx";
import { CompactionNote } from "../turns/compaction-note.tsx";
import { EditMessage } from "./later-parts.ts";
import type { TurnFacts } from "../turns/turn-facts.ts";
import { turnItems } from "../turns/turn-items.ts";
import { HalfUndone } from "../turns/half-undone.tsx";
import { UndoneNote } from "../turns/undone-note.tsx";
import { useTurnActs } from "../turns/use-turn-acts.ts";
import { useChat } from "./chat.ts";
import type { ChatActions } from "./chat-actions.ts";
import { TurnFault } from "./turn-fault.tsx";
import { TurnFoot } from "./turn-foot.tsx";
import { itemKey, TurnItem } from "./turn-item.tsx";
import { UserMessage } from "./user-message.tsx";

interface TurnProps {
  turn: TurnView;
  /** Not the last one: its steps fold to a line. */
  past: boolean;
  facts: TurnFacts;
  actions: ChatActions;
}

/** Of a turn that is shown whole, so many of its last things stay open: a screen or two. */
const OPEN = 12;

/** Views that did not change are the same objects, so a streamed word draws one step again and no more. */
export const Turn = memo(function Turn({ turn, past, facts, actions }: TurnProps) {
  const text = useText();
  const chat = useChat();
  const acts = useTurnActs(turn);
  const [editing, setEditing] = useState(false);
  const items = turnItems(turn, facts.compactions);
  const isOver = past && turn.status === "complete" && turn.steps.length > 1;
  const open = isOver ? 1 : items.length > OPEN * 1.5 ? OPEN : items.length;
  const before = items.slice(0, items.length - open);
  const folded = before.filter((item) => item.kind !== "steer");
  // What the person said is never folded away.
  const shown = [...before.filter((item) => item.kind === "steer"), ...items.slice(before.length)];
  const canEdit = chat?.session && !chat.busy ? () => setEditing(true) : null;
  return (
    <section data-testid="turn" data-state={turn.status} data-turn={turn.message.id} className="flex flex-col gap-3">
      {facts.compactions.filter((each) => each.steps === 0).map((compaction) => <CompactionNote key={compaction.id} compaction={compaction} />)}
      {editing ? (
        <EditMessage message={turn.message.text} onSend={acts.say} onCancel={() => setEditing(false)} />
      ) : (
        <UserMessage message={turn.message.text} onEdit={canEdit}>
          {turn.message.attachments && <AttachmentList attachments={turn.message.attachments} />}
          {turn.pinned && <p className="flex items-center gap-1 text-2xs text-soft"><Pin aria-hidden size={11} />{text.turns.pinned}</p>}
          {facts.point && <BranchSwitch point={facts.point} />}
        </UserMessage>
      )}
      {folded.length > 0 && (
        <Disclosure summary={isOver ? text.chat.steps(folded.length) : text.turns.steersFold(folded.length)}>
          <div className="flex flex-col gap-3 border-s-2 border-line pt-1 ps-3">
            {folded.map((item) => <TurnItem key={itemKey(item)} item={item} model={modelOf(turn, text)} actions={actions} />)}
          </div>
        </Disclosure>
      )}
      {shown.map((item) => <TurnItem key={itemKey(item)} item={item} model={modelOf(turn, text)} actions={actions} />)}
      {turn.notices.map((notice) => (
        <p key={notice} className="flex items-start gap-1.5 text-xs text-soft"><Info aria-hidden size={12} className="mt-0.5 shrink-0" />{noticeWords(notice, text)}</p>
      ))}
      <TurnFault turn={turn} actions={actions} />
      {(facts.undone || facts.replaced.length > 0) && <UndoneNote turn={turn.message.id} undone={facts.undone} replaced={facts.replaced.length} />}
      {facts.half && <HalfUndone half={facts.half} />}
      <TurnFoot turn={turn} facts={facts} onEdit={() => setEditing(true)} />
    </section>
  );
});
