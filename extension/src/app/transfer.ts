// Sessions out of this browser and into it, as files.
import { z } from "zod";
import { foldEvents } from "../agent/fold.ts";
import { foldStored } from "../agent/sound.ts";
import { viewSession } from "../agent/projection.ts";
import type { SessionView } from "../agent/session-view.ts";
import { normalise } from "../agent/normalise.ts";
import { summarise } from "../agent/summary.ts";
import type { Storage } from "../storage/storage.ts";
import type { AttachmentContent } from "../wire/attachment.ts";
import { PDF_BYTES, TEXT_BYTES } from "./attachment-limits.ts";
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
    return viewSession(foldStored(session, await this.#parts.storage.readEvents(session, 0)));
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
    const { entries, contents } = readFile(json);
    const names = new Map<string, string>();
    const attachment = (named: string) => {
      const known = names.get(named) ?? this.#parts.newId();
      names.set(named, known);
      return known;
    };
    const imported = normalise(entries, { session, now: this.#parts.now(), newId: () => this.#parts.newId(), attachment });
    if (imported === null) throw notOurs();
    const attached = foldEvents(session, imported.events).turns.flatMap((turn) => [
      ...turn.attachments,
      ...turn.steers.flatMap((steer) => steer.attachments),
      ...turn.steps.flatMap((step) => step.calls.flatMap((call) => call.result?.pictures ?? [])),
    ]);
    for (const [named, id] of names) {
      const content = contents.get(named);
      const known = attached.find((each) => each.id === id);
      if (content !== undefined && known !== undefined) await this.#parts.storage.saveContent({ id, session, at: this.#parts.now(), attachment: known, content });
    }
    await this.#parts.storage.append(imported.events, summarise(foldEvents(session, imported.events)), true);
    this.#parts.onSessions();
    return { session, dropped: imported.dropped };
  }
}

interface SessionFile {
  readonly entries: readonly unknown[];
  readonly contents: ReadonlyMap<string, AttachmentContent>;
}

const contentSchema = z.object({
  id: z.string(),
  content: z.discriminatedUnion("kind", [z.object({ kind: z.literal("text"), text: z.string().max(TEXT_BYTES) }), z.object({ kind: z.literal("bytes"), base64: z.base64().max(Math.ceil(PDF_BYTES / 3) * 4) })]),
});

function readFile(json: string): SessionFile {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === "object" && value !== null && "events" in value && Array.isArray(value.events)) {
      const contents: readonly unknown[] = "contents" in value && Array.isArray(value.contents) ? value.contents : [];
      return { entries: value.events, contents: new Map(contents.flatMap((entry) => readContent(entry))) };
    }
  } catch {
    // Told below.
  }
  throw notOurs();
}

function readContent(entry: unknown): readonly (readonly [string, AttachmentContent])[] {
  const content = contentSchema.safeParse(entry);
  return content.success ? [[content.data.id, content.data.content]] : [];
}

function notOurs(): IntentFault {
  return new IntentFault({ code: "no_session_file", message: "This file holds no session of Outrigger.", hint: "Choose a file that was exported as JSON.", retryable: false });
}
