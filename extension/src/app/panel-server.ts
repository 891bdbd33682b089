// The engine's side of the bus: serves panels, which come and go. Closing one changes nothing.
import { shapedEvents } from "../agent/sound.ts";
import type { Fault, StoredEvent } from "../agent/events.ts";
import type { EngineMessage, IntentName, Intents, PanelMessage } from "./bus.ts";
import { isDiskFull } from "../lib/is-disk-full.ts";
import { StoreShut } from "../storage/store-shut.ts";
import { IntentFault } from "./intent-fault.ts";
import type { PortLike } from "./panel-client.ts";
import { shutFault } from "./storage-faults.ts";
import type { AppView, Attention, ConnectionView, Looking } from "./views.ts";

export type IntentHandlers = {
  readonly [Name in IntentName]: (params: Intents[Name]["params"]) => Promise<Intents[Name]["result"]>;
};

export interface PanelServerOptions {
  readonly handlers: IntentHandlers;
  readonly readEvents: (session: string, after: number, most: number) => Promise<readonly StoredEvent[]>;
  readonly connection: () => ConnectionView;
  readonly app: () => AppView | null;
  /** What a person has before them changed. */
  readonly onLooking?: (looking: Looking) => void;
  /** A panel opened; the returned function is called when it closes. */
  readonly onPanel: () => () => void;
}

/** A slice of a long log: small enough that a click's answer passes between two. */
const SLICE = 500;

/** Read at once: a few slices. */
const PAGE = 1_000;

/** A store that cannot be read now is asked again for as long as somebody looks. */
const READ_AGAIN_MS = 1_000;

interface Subscription {
  /** Null once the snapshot was sent; until then new events wait here. */
  waiting: StoredEvent[] | null;
  sent: number;
}

interface Panel {
  readonly port: PortLike;
  readonly subscriptions: Map<string, Subscription>;
  looking: Looking | null;
}

export class PanelServer {
  readonly #options: PanelServerOptions;
  readonly #panels = new Set<Panel>();

  constructor(options: PanelServerOptions) {
    this.#options = options;
  }

  serve(port: PortLike): void {
    const panel: Panel = { port, subscriptions: new Map(), looking: null };
    this.#panels.add(panel);
    const closed = this.#options.onPanel();
    port.onDisconnect.addListener(() => {
      this.#panels.delete(panel);
      closed();
    });
    port.onMessage.addListener((message) => void this.#receive(panel, message as PanelMessage));
    post(panel, { kind: "connection", view: this.#options.connection() });
    const app = this.#options.app();
    if (app !== null) post(panel, { kind: "app", view: app });
  }

  pushConnection(view: ConnectionView): void {
    for (const panel of this.#panels) post(panel, { kind: "connection", view });
  }

  pushApp(view: AppView): void {
    for (const panel of this.#panels) post(panel, { kind: "app", view });
  }

  pushAttention(attention: Attention): void {
    for (const panel of this.#panels) post(panel, { kind: "attention", attention });
  }

  get looking(): readonly Looking[] {
    return [...this.#panels].flatMap(({ looking }) => looking ?? []);
  }

  /** One panel turns to it: the one that is seen in this window, else one that is seen, else any. False: there is none. */
  show(session: string, window: number | null): boolean {
    const worth = ({ looking }: Panel) => (looking?.isVisible === true ? 2 : 0) + (looking !== null && looking.window === window ? 1 : 0);
    const [best] = [...this.#panels].toSorted((left, right) => worth(right) - worth(left));
    if (best !== undefined) post(best, { kind: "show", session });
    return best !== undefined;
  }

  pushEvents(session: string, events: readonly StoredEvent[]): void {
    for (const panel of this.#panels) {
      const subscription = panel.subscriptions.get(session);
      if (subscription === undefined) continue;
      if (subscription.waiting === null) send(panel, session, subscription, events);
      else subscription.waiting.push(...events);
    }
  }

  /** Who looks at it goes on looking: it may come back. */
  pushGone(session: string): void {
    for (const panel of this.#panels) {
      if (!panel.subscriptions.has(session)) continue;
      panel.subscriptions.set(session, { waiting: null, sent: 0 });
      post(panel, { kind: "gone", session });
    }
  }

  /** It is there again, from its beginning. */
  pushBack(session: string): void {
    for (const panel of this.#panels) if (panel.subscriptions.has(session)) void this.#subscribe(panel, session, 0);
  }

  async #receive(panel: Panel, message: PanelMessage): Promise<void> {
    switch (message.kind) {
      case "subscribe":
        return this.#subscribe(panel, message.session, message.after);
      case "unsubscribe":
        panel.subscriptions.delete(message.session);
        return;
      case "looking":
        panel.looking = message.looking;
        this.#options.onLooking?.(message.looking);
        return;
      case "intent":
        return this.#answer(panel, message.id, message.name, message.params);
    }
  }

  async #answer(panel: Panel, id: number, name: IntentName, params: unknown): Promise<void> {
    try {
      if (!Object.hasOwn(this.#options.handlers, name)) throw new IntentFault(unknownIntent(name));
      const handler = this.#options.handlers[name] as (params: unknown) => Promise<unknown>;
      post(panel, { kind: "answer", id, result: await handler(params) });
    } catch (error) {
      post(panel, { kind: "refused", id, fault: error instanceof IntentFault ? error.fault : ownFault(error) });
    }
  }

  async #subscribe(panel: Panel, session: string, after: number): Promise<void> {
    const subscription: Subscription = { waiting: [], sent: after };
    panel.subscriptions.set(session, subscription);
    // The next page is read while this one crosses the port: both sides are at work at the same time.
    const read = (from: number) => this.#options.readEvents(session, from, PAGE).catch(() => null);
    let last = after;
    let next = read(last);
    for (;;) {
      const page = await next;
      if (panel.subscriptions.get(session) !== subscription || !this.#panels.has(panel)) return;
      if (page === null) {
        await pause(READ_AGAIN_MS);
        next = read(last);
        continue;
      }
      const isLast = page.length < PAGE;
      last = page.at(-1)?.seq ?? last;
      if (!isLast) next = read(last);
      const events = withoutSuperseded(shapedEvents(page), after);
      for (let start = 0; start < events.length; start += SLICE) {
        const slice = events.slice(start, start + SLICE);
        subscription.sent = slice.at(-1)?.seq ?? subscription.sent;
        post(panel, { kind: "events", session, events: slice, caughtUp: isLast && start + SLICE >= events.length });
      }
      if (!isLast) continue;
      // Nobody is left looking at nothing: there is no such session, or not yet.
      const isNothing = last === after && (await this.#isNothing(session, after));
      if (panel.subscriptions.get(session) !== subscription || !this.#panels.has(panel)) return;
      if (isNothing) post(panel, { kind: "gone", session });
      // What came last may be all of it that says nothing more.
      if (events.length === 0 && subscription.sent > after) post(panel, { kind: "events", session, events: [], caughtUp: true });
      break;
    }
    const waiting = subscription.waiting ?? [];
    subscription.waiting = null;
    send(panel, session, subscription, waiting);
  }

  async #isNothing(session: string, after: number): Promise<boolean> {
    return after === 0 || (await this.#options.readEvents(session, 0, 1).catch(() => null))?.length === 0;
  }
}

function send(panel: Panel, session: string, subscription: Subscription, events: readonly StoredEvent[]): void {
  const fresh = events.filter((event) => event.seq > subscription.sent);
  if (fresh.length === 0) return;
  subscription.sent = fresh.at(-1)?.seq ?? subscription.sent;
  post(panel, { kind: "events", session, events: fresh, caughtUp: true });
}

/** The deltas of a whole step say nothing that its end does not say. */
function withoutSuperseded(events: readonly StoredEvent[], after: number): readonly StoredEvent[] {
  if (after > 0) return events;
  const whole = new Set(events.flatMap(({ event }) => (event.type === "AssistantDone" ? [event.step] : [])));
  return events.filter(({ event }) => !((event.type === "AssistantDelta" || event.type === "ReasoningDelta") && whole.has(event.step)));
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

function post(panel: Panel, message: EngineMessage): void {
  try {
    panel.port.postMessage(message);
  } catch {
    // The panel closed a moment ago; its `onDisconnect` follows.
  }
}

function unknownIntent(name: string) {
  return { code: "unknown_intent", message: `The engine does not know \`${name}\`.`, hint: "Reload the panel.", retryable: false };
}

function ownFault(error: unknown): Fault {
  if (error instanceof StoreShut) return shutFault(error);
  if (isDiskFull(error)) return { code: "disk_full", message: "There is no room to write this down.", hint: "Make room on the disk, then do it again.", retryable: true };
  return {
    code: "internal",
    message: `The engine failed: ${error instanceof Error ? error.message : String(error)}`,
    hint: "Try again. If it happens again, export the session and report it.",
    retryable: true,
  };
}
