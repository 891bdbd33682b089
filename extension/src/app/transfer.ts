// Sessions out of this browser and into it, as files.
import { z } from "zod";
import type { AgentEvent, StoredEvent } from "../agent/events.ts";
import { foldEvents } from "../agent/fold.ts";
import { foldStored } from "../agent/sound.ts";
import { viewSession } from "../agent/projection.ts";
import type { SessionView, StepView, ToolCallView, TurnView } from "../agent/session-view.ts";
import { normalise } from "../agent/normalise.ts";
import { summarise } from "../agent/summary.ts";
import type { Storage } from "../storage/storage.ts";
import type { AttachmentContent } from "../wire/attachment.ts";
import { PDF_BYTES, TEXT_BYTES } from "./attachment-limits.ts";
import { IntentFault } from "./intent-fault.ts";
import { fileName, renderMarkdown, renderTurn } from "./render-session.ts";
import type { ExportedFile, ExportedView } from "./views.ts";

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

  async as(session: string, format: "markdown" | "json"): Promise<ExportedFile> {
    const { view, agents } = await this.view(session);
    if (format === "json") return { name: fileName(view.title, "json"), mediaType: "application/json", text: await this.toJson(session) };
    return { name: fileName(view.title, "md"), mediaType: "text/markdown", text: renderMarkdown(view, new Map(agents)) };
  }

  /** For whoever makes a page of it: `exportHtml`. */
  async view(session: string): Promise<ExportedView> {
    const agents = await Promise.all((await this.#agents(session)).map(async (id) => [id, { turns: (await this.#view(id)).turns.map(read) }] as const));
    const { title, createdAt, turns } = await this.#view(session);
    return { view: { title, createdAt, turns: turns.map(read) }, agents };
  }

  /** Null: the whole conversation. */
  async copy(session: string, turn: string | null): Promise<string> {
    const view = await this.#view(session);
    const found = view.turns.filter((each) => turn === null || each.message.id === turn);
    return turn === null ? renderMarkdown(view) : found.map((each) => renderTurn(each)).join("\n\n");
  }

  async #view(session: string): Promise<SessionView> {
    return viewSession(foldStored(session, await this.#parts.storage.readEvents(session, 0)));
  }

  /** The log as it is stored, with what was attached and what its sub-agents did. Keys are not in it, because they are nowhere in a log. */
  async toJson(session: string): Promise<string> {
    const agents = await Promise.all((await this.#agents(session)).map((id) => this.#stored(id)));
    return JSON.stringify({ format: "outrigger-session", version: 1, ...(await this.#stored(session)), ...(agents.length === 0 ? {} : { agents }) }, null, 2);
  }

  async #stored(session: string): Promise<object> {
    const events = await this.#parts.storage.readEvents(session, 0);
    const contents = (await this.#parts.storage.listContents(session)).map(({ id, content }) => ({ id, content }));
    return { session, events, ...(contents.length === 0 ? {} : { contents }) };
  }

  /** Sub-agents have none of their own. */
  async #agents(session: string): Promise<readonly string[]> {
    return (await this.#parts.storage.listChildren(session)).filter(({ origin, deletedAt }) => origin?.kind === "subagent" && deletedAt === undefined).map(({ id }) => id);
  }

  /** A session from a file: made whole, closed, and with no rights of its own; so are those of its sub-agents. */
  async fromJson(json: string): Promise<{ readonly session: string; readonly dropped: number }> {
    const session = this.#parts.newId();
    const file = readFile(json);
    const main = this.#read(session, file);
    if (main === null) throw notOurs();
    const spawned = new Set(main.events.flatMap(({ event }) => (event.type === "ToolRequested" && event.tool === AGENT_TOOL ? [event.call] : [])));
    const taken: Taken[] = [];
    const names = new Map<string, string>();
    for (const agent of file.agents) {
      // A sub-agent's session has the name of the call that it answers: a new one, for the file may name what is here.
      const id = this.#parts.newId();
      const child = spawned.has(agent.session) && !names.has(agent.session) ? this.#read(id, agent) : null;
      if (child === null) continue;
      names.set(agent.session, id);
      taken.push({ ...child, events: child.events.map((stored) => (stored.event.type === "SessionStarted" ? { ...stored, event: { ...stored.event, origin: { kind: "subagent", session, by: id } } } : stored)) });
    }
    const whole = { ...main, events: main.events.map((stored) => ({ ...stored, event: withCall(stored.event, names) })) };
    for (const each of [whole, ...taken]) await this.#save(each);
    this.#parts.onSessions();
    return { session, dropped: [main, ...taken].reduce((sum, { dropped }) => sum + dropped, 0) };
  }

  /** Null: it is no log. */
  #read(session: string, { entries, contents }: LogFile): Taken | null {
    const names = new Map<string, string>();
    const attachment = (named: string) => {
      const known = names.get(named) ?? this.#parts.newId();
      names.set(named, known);
      return known;
    };
    const imported = normalise(entries, { session, now: this.#parts.now(), newId: () => this.#parts.newId(), attachment });
    return imported === null ? null : { session, ...imported, contents: new Map([...names].flatMap(([named, id]) => (contents.has(named) ? [[id, contents.get(named) as AttachmentContent]] : []))) };
  }

  async #save({ session, events, contents }: Taken): Promise<void> {
    const log = foldEvents(session, events);
    const attached = log.turns.flatMap((turn) => [
      ...turn.attachments,
      ...turn.steers.flatMap((steer) => steer.attachments),
      ...turn.steps.flatMap((step) => step.calls.flatMap((call) => call.result?.pictures ?? [])),
    ]);
    for (const [id, content] of contents) {
      const known = attached.find((each) => each.id === id);
      if (known !== undefined) await this.#parts.storage.saveContent({ id, session, at: this.#parts.now(), attachment: known, content });
    }
    await this.#parts.storage.append(events, summarise(log), true);
  }
}

/** What a person reads of a turn: the rest is many times as much, and crosses to the panel as one message. */
function read(turn: TurnView): TurnView {
  const calls = (step: StepView) => step.calls.map((call): ToolCallView => ({ ...call, args: null, output: "", approval: null, question: null, result: call.result === null ? null : { ...call.result, structured: null } }));
  return { ...turn, steps: turn.steps.map((step) => ({ ...step, reasoning: "", calls: calls(step) })) };
}

const AGENT_TOOL = "spawn_agent";

/** What of a file becomes one session here. */
interface Taken {
  readonly session: string;
  readonly events: readonly StoredEvent[];
  readonly dropped: number;
  /** By their names here. */
  readonly contents: ReadonlyMap<string, AttachmentContent>;
}

function withCall(event: AgentEvent, names: ReadonlyMap<string, string>): AgentEvent {
  const name = "call" in event ? names.get(event.call) : undefined;
  return name === undefined ? event : ({ ...event, call: name } as AgentEvent);
}

interface LogFile {
  readonly session: string;
  readonly entries: readonly unknown[];
  readonly contents: ReadonlyMap<string, AttachmentContent>;
}

interface SessionFile extends LogFile {
  readonly agents: readonly LogFile[];
}

const contentSchema = z.object({
  id: z.string(),
  content: z.discriminatedUnion("kind", [z.object({ kind: z.literal("text"), text: z.string().max(TEXT_BYTES) }), z.object({ kind: z.literal("bytes"), base64: z.base64().max(Math.ceil(PDF_BYTES / 3) * 4) })]),
});

function readFile(json: string): SessionFile {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    throw notOurs();
  }
  const log = readLog(value);
  if (log === null) throw notOurs();
  const agents: readonly unknown[] = typeof value === "object" && value !== null && "agents" in value && Array.isArray(value.agents) ? value.agents : [];
  return { ...log, agents: agents.flatMap((agent) => readLog(agent) ?? []) };
}

function readLog(value: unknown): LogFile | null {
  if (typeof value !== "object" || value === null || !("events" in value) || !Array.isArray(value.events)) return null;
  const contents: readonly unknown[] = "contents" in value && Array.isArray(value.contents) ? value.contents : [];
  return { session: "session" in value && typeof value.session === "string" ? value.session : "", entries: value.events, contents: new Map(contents.flatMap((entry) => readContent(entry))) };
}

function readContent(entry: unknown): readonly (readonly [string, AttachmentContent])[] {
  const content = contentSchema.safeParse(entry);
  return content.success ? [[content.data.id, content.data.content]] : [];
}

function notOurs(): IntentFault {
  return new IntentFault({ code: "no_session_file", message: "This file holds no session of Outrigger.", hint: "Choose a file that was exported as JSON.", retryable: false });
}
