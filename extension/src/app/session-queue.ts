// What a person says while a turn runs: kept in the log as it is typed, so that it survives whatever happens before it is said.
import type { AgentEvent, QueueKind } from "../agent/events.ts";
import type { QueueItem, SessionLog } from "../agent/log.ts";
import type { SessionLoop } from "../agent/loop.ts";
import { activeTurn, withAttachments } from "../agent/step.ts";
import type { Attachment } from "../wire/attachment.ts";
import { IntentFault } from "./intent-fault.ts";
import { requireText } from "./require-text.ts";

export interface QueueParts {
  readonly loop: (session: string) => Promise<SessionLoop>;
  readonly newId: () => string;
  readonly attach: (session: string, ids: readonly string[]) => Promise<readonly Attachment[]>;
  /** What a turn that ended without its end still owes. */
  readonly abandon: (log: SessionLog) => readonly AgentEvent[];
}

export class SessionQueue {
  readonly #parts: QueueParts;

  constructor(parts: QueueParts) {
    this.#parts = parts;
  }

  async add(session: string, text: string, kind: QueueKind, attached: readonly string[] = []): Promise<string> {
    if (attached.length === 0) requireText(text);
    const loop = await this.#parts.loop(session);
    const item = this.#parts.newId();
    await loop.append({ type: "QueueAdded", item, kind: readKind(kind), text, ...withAttachments(await this.#parts.attach(session, attached)) });
    return item;
  }

  async edit(session: string, item: string, change: { readonly text?: string; readonly kind?: QueueKind }): Promise<void> {
    if (change.text !== undefined) requireText(change.text);
    await this.#change(session, item, (known) => ({
      type: "QueueEdited",
      item,
      text: change.text ?? known.text,
      kind: change.kind === undefined ? known.kind : readKind(change.kind),
    }));
  }

  async move(session: string, item: string, before: string | null): Promise<void> {
    await this.#change(session, item, () => ({ type: "QueueMoved", item, before }));
  }

  async remove(session: string, item: string): Promise<void> {
    await this.#change(session, item, () => ({ type: "QueueRemoved", item }));
  }

  async send(session: string): Promise<void> {
    const loop = await this.#parts.loop(session);
    await loop.appendIf((log) => {
      const next = log.queue[0];
      if (next === undefined || activeTurn(log) !== undefined) return null;
      return [...this.#parts.abandon(log), { type: "UserMessage", message: next.id, text: next.text, item: next.id, ...withAttachments(next.attachments) }];
    });
  }

  async #change(session: string, item: string, make: (known: QueueItem) => AgentEvent): Promise<void> {
    const loop = await this.#parts.loop(session);
    let isGone = false;
    await loop.appendIf((log) => {
      const known = log.queue.find((candidate) => candidate.id === item);
      isGone = known === undefined;
      return known === undefined ? null : [make(known)];
    });
    if (isGone) throw new IntentFault({ code: "already_said", message: "This message is no longer in the queue.", hint: "It was delivered or removed a moment ago.", retryable: false });
  }
}

/** Doubt waits for the end of the turn. */
function readKind(kind: unknown): QueueKind {
  return kind === "steer" ? "steer" : "queue";
}
