/** One thing that happened in a turn. */
import { AttachmentList } from "../attach/attachment-list.tsx";
import { CompactionNote } from "../turns/compaction-note.tsx";
import { SteerMessage } from "../turns/steer-message.tsx";
import type { TurnItem as Item } from "../turns/turn-items.ts";
import type { ChatActions } from "./chat-actions.ts";
import { Step } from "./step.tsx";

export function TurnItem({ item, model, actions }: { item: Item; model: string; actions: ChatActions }) {
  switch (item.kind) {
    case "step":
      return <Step step={item.step} model={model} actions={actions} />;
    case "steer":
      return (
        <>
          <SteerMessage message={item.steer.text} />
          {item.steer.attachments && <AttachmentList attachments={item.steer.attachments} />}
        </>
      );
    case "compaction":
      return <CompactionNote compaction={item.compaction} />;
  }
}

export function itemKey(item: Item): string {
  return item.kind === "step" ? item.step.id : item.kind === "steer" ? item.steer.id : item.compaction.id;
}
