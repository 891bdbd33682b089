/** What waits to be said, in the order in which it will be: above the message box, because that is where it came from. */
import type { QueueItemView } from "../../agent/session-view.ts";
import type { QueueKind } from "../../agent/events.ts";
import { Button } from "../common/button.tsx";
import { useText } from "../text/use-text.ts";
import { QueueRow } from "./queue-row.tsx";

export interface QueueActs {
  edit(item: string, change: { text?: string; kind?: QueueKind }): Promise<boolean>;
  move(item: string, before: string | null): void;
  remove(item: string): void;
  send(): void;
  /** Words that were being changed when their message was said: into the message box. */
  rescue(text: string): void;
}

interface QueueStripProps {
  queue: readonly QueueItemView[];
  /** Nothing runs: what waits is said when the person says so. */
  isIdle: boolean;
  acts: QueueActs;
}

export function QueueStrip({ queue, isIdle, acts }: QueueStripProps) {
  const text = useText();
  if (queue.length === 0) return null;
  return (
    <section aria-label={text.dock.queue} data-testid="queue-strip" className="rounded-lg border border-line bg-surface text-xs">
      {isIdle && (
        <p className="flex items-center justify-between gap-2 border-b border-line py-0.5 pe-0.5 ps-2.5 text-soft">
          {text.dock.queueCount(queue.length)}
          <Button weight="quiet" data-testid="queue-send" onClick={acts.send}>{text.dock.sendNow}</Button>
        </p>
      )}
      <ol className="max-h-32 divide-y divide-line overflow-y-auto">
        {queue.map((item, place) => (
          <QueueRow
            key={item.id}
            item={item}
            acts={acts}
            onUp={place === 0 ? null : () => acts.move(item.id, queue[place - 1]?.id ?? null)}
            onDown={place === queue.length - 1 ? null : () => acts.move(item.id, queue[place + 2]?.id ?? null)}
          />
        ))}
      </ol>
    </section>
  );
}
