// What waits to be said: added, edited, moved, removed, and taken out by the event that delivers it. Pure.
import type { AgentEvent } from "./events.ts";
import type { QueueItem, SessionLog } from "./log.ts";

export function foldQueue(log: SessionLog, event: AgentEvent, at: number): SessionLog {
  const queue = changed(log.queue, event, at);
  const isHeld = queue.length > 0 && event.type !== "UserMessage" && (log.isQueueHeld || event.type === "BranchStart" || event.type === "BranchSelected");
  return queue === log.queue && isHeld === log.isQueueHeld ? log : { ...log, queue, isQueueHeld: isHeld };
}

function changed(queue: readonly QueueItem[], event: AgentEvent, at: number): readonly QueueItem[] {
  switch (event.type) {
    case "QueueAdded":
      return queue.some(({ id }) => id === event.item) ? queue : [...queue, { id: event.item, kind: event.kind, text: event.text, attachments: event.attachments ?? [], at }];
    case "QueueEdited":
      return queue.map((item) => (item.id === event.item ? { ...item, kind: event.kind, text: event.text } : item));
    case "QueueMoved":
      return moved(queue, event.item, event.before);
    case "QueueRemoved":
    case "Steered":
      return without(queue, event.item);
    case "UserMessage":
      return event.item === undefined ? queue : without(queue, event.item);
    default:
      return queue;
  }
}

function moved(queue: readonly QueueItem[], id: string, before: string | null): readonly QueueItem[] {
  const item = queue.find((candidate) => candidate.id === id);
  if (item === undefined || before === id) return queue;
  const rest = without(queue, id);
  const place = before === null ? -1 : rest.findIndex((candidate) => candidate.id === before);
  return place === -1 ? [...rest, item] : rest.toSpliced(place, 0, item);
}

function without(queue: readonly QueueItem[], id: string): readonly QueueItem[] {
  return queue.some((item) => item.id === id) ? queue.filter((item) => item.id !== id) : queue;
}
