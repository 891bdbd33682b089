// What can be read of a stored log in which something is damaged: the rest of it is as good as before. Pure.
import { decodeImportedEvent } from "../wire/decode-event.ts";
import { buildMessages } from "./context.ts";
import type { StoredEvent } from "./events.ts";
import { foldEvents } from "./fold.ts";
import type { SessionLog } from "./log.ts";
import { due } from "./step.ts";
import { summarise } from "./summary.ts";

/** A person's own acts in this browser, which no file may bring: they are read as they stand. */
const OWN = /^(?:Rule|Lease|Queue|Session(?:Pinned|Tagged))/;

/**
 * Folds what is there. Our own events are trusted, also those of an older or a newer version: each is held against its shape only
 * where the whole does not hold together.
 */
export function foldStored(session: string, events: readonly StoredEvent[]): SessionLog {
  const shaped = shapedEvents(events);
  let log: SessionLog;
  try {
    log = checked(foldEvents(session, shaped));
  } catch {
    log = foldEvents(session, shaped.filter(isSound));
  }
  // The place of one that cannot be read is taken all the same.
  const seq = events.reduce((most, stored) => (Number.isSafeInteger(stored?.seq) ? Math.max(most, stored.seq) : most), log.seq);
  return seq === log.seq ? log : { ...log, seq };
}

/** Throws where the engine would stumble later. */
function checked(log: SessionLog): SessionLog {
  const { turns } = log;
  const calls = turns.flatMap(({ steps }) => steps.flatMap((step) => step.calls));
  for (const words of [log.config.model, ...turns.flatMap(({ id, text, config }) => [id, text, config.model]), ...calls.flatMap(({ id, tool, argsText, result }) => [id, tool, argsText, ...(result === null ? [] : [result.text])])]) {
    if (typeof words !== "string") throw new TypeError("a word is missing in the log");
  }
  for (const { asked } of calls) if (asked !== null && typeof asked.plan.digest !== "string") throw new TypeError("a plan is missing in the log");
  due(log);
  summarise(log);
  buildMessages(log);
  return log;
}

/** Those that are events at all. */
export function shapedEvents(events: readonly StoredEvent[]): readonly StoredEvent[] {
  return events.every(isShaped) ? events : events.filter(isShaped);
}

function isShaped(stored: StoredEvent | null): boolean {
  return typeof stored?.event?.type === "string" && Number.isSafeInteger(stored.seq) && Number.isFinite(stored.at);
}

function isSound({ event }: StoredEvent): boolean {
  // Most of a long log are these two: they are looked at without a schema.
  if (event.type === "AssistantDelta" || event.type === "ReasoningDelta") return typeof event.step === "string" && typeof event.text === "string";
  // How a session came to be is more than a file may say.
  if (event.type === "SessionStarted") return decodeImportedEvent({ type: event.type, config: event.config }) !== null;
  return OWN.test(event.type) || decodeImportedEvent(event) !== null;
}
