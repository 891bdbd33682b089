// Sessions out of this browser and into it, as files.
import { foldEvents } from "../agent/fold.ts";
import { viewSession } from "../agent/projection.ts";
import type { SessionView } from "../agent/session-view.ts";
import { normalise } from "../agent/normalise.ts";
import { summarise } from "../agent/summary.ts";
import type { Storage } from "../storage/storage.ts";
import { IntentFault } from "./intent-fault.ts";
import { fileName, renderHtml, renderMarkdown, renderTurn } from "./render-session.ts";
import type { ExportedFile } from "./views.ts";

export interface TransferParts {
  readonly storage: Storage;
  readonly newId: () => string;
  readonly now: () => number;
  readonly onSessions: () => void;
}

export class Transfer {
  readonly #parts: TransferParts;

  constructor(parts: TransferParts) {
    this.#parts = parts;
  }

  async as(session: string, format: "markdown" | "json" | "html"): Promise<ExportedFile> {
    const view = await this.#view(session);
    if (format === "markdown") return { name: fileName(view.title, "md"), mediaType: "text/markdown", text: renderMarkdown(view) };
    if (format === "html") return { name: fileName(view.title, "html"), mediaType: "text/html", text: renderHtml(view) };
    return { name: fileName(view.title, "json"), mediaType: "application/json", text: await this.toJson(session) };
  }

  /** Null: the whole conversation. */
  async copy(session: string, turn: string | null): Promise<string> {
    const view = await this.#view(session);
    const found = view.turns.filter((each) => turn === null || each.message.id === turn);
    return turn === null ? renderMarkdown(view) : found.map(renderTurn).join("\n\n");
  }

  async #view(session: string): Promise<SessionView> {
    return viewSession(foldEvents(session, await this.#parts.storage.readEvents(session, 0)));
  }

  /** The log as it is stored, with what was attached. Keys are not in it, because they are nowhere in a log. */
  async toJson(session: string): Promise<string> {
    const events = await this.#parts.storage.readEvents(session, 0);
    const contents = (await this.#parts.storage.listContents(session)).map(({ id, content }) => ({ id, content }));
    return JSON.stringify({ format: "outrigger-session", version: 1, session, events, ...(contents.length === 0 ? {} : { contents }) }, null, 2);
  }

  /** A session from a file: made whole, closed, and with no rights of its own. */
  async fromJson(json: string): Promise<{ readonly session: string; readonly dropped: number }> {
    const session = this.#parts.newId();
    const imported = normalise(readEntries(json), { session, now: this.#parts.now(), newId: () => this.#parts.newId() });
    if (imported === null) throw notOurs();
    await this.#parts.storage.append(imported.events, summarise(foldEvents(session, imported.events)), true);
    this.#parts.onSessions();
    return { session, dropped: imported.dropped };
  }
}

function readEntries(json: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === "object" && value !== null && "events" in value && Array.isArray(value.events)) return value.events;
  } catch {
    // Told below.
  }
  throw notOurs();
}

function notOurs(): IntentFault {
  return new IntentFault({ code: "no_session_file", message: "This file holds no session of Outrigger.", hint: "Choose a file that was exported as JSON.", retryable: false });
}
