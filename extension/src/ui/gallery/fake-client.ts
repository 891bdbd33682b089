// A client that knows one scene and takes every intent without doing anything.
import type { Fault } from "../../agent/events.ts";
import type { SessionView } from "../../agent/session-view.ts";
import type { IntentName, Intents } from "../../app/bus.ts";
import type { PanelClient } from "../../app/panel-client.ts";
import type { AppView, ConnectionView, Draft } from "../../app/views.ts";
import { Store } from "../../lib/store.ts";
import { loadLater } from "../panel/screens.tsx";

// A picture and a test are of the screen, not of the moment before it is there.
await loadLater();

export interface Scene {
  connection: ConnectionView;
  app: AppView;
  session: SessionView | null;
  /** Where in the panel one is, as its address says it. */
  place?: string;
  /** What is done, one after the other: test ids of what is clicked, a command for the message box, `?`, or what is brought into sight. */
  press?: readonly string[];
  /** What the engine answers to intents that ask for something. */
  answers?: { [Name in IntentName]?: Intents[Name]["result"] };
  /** So many words a second are added to the last answer: for measuring. */
  wordsPerSecond?: number;
  /** Not the panel, but the page after the install. */
  welcome?: { isFirefox: boolean; isPinned: boolean };
  /** Of the browser's windows, the one the panel is in. */
  window?: number;
  /** False: what a page brings is taken by another panel. */
  takes?: boolean;
  /** What was written before and not sent. */
  draft?: Draft;
  /** Sessions that are not there. */
  gone?: readonly string[];
  /** Sessions beside the one that is shown. */
  others?: Readonly<Record<string, SessionView>>;
  /** What is stored cannot be opened; with `isFirst` it could not since this panel is open. */
  shut?: { fault: Fault; isFirst: boolean };
}

const GONE = new Store(true);
const THERE = new Store(false);

export interface SentIntent {
  name: string;
  params: unknown;
}

export function fakeClient(scene: Scene, sent: SentIntent[] = [], refuses = false): PanelClient {
  const session = new Store(scene.session);
  const app = new Store<AppView | null>(scene.shut?.isFirst === true ? null : scene.app);
  const others = new Map(Object.entries(scene.others ?? {}).map(([id, view]) => [id, new Store<SessionView | null>(view)]));
  if (scene.wordsPerSecond !== undefined) setInterval(() => session.set(withWord(session.get())), 1000 / scene.wordsPerSecond);
  return {
    connection: new Store(scene.connection),
    app,
    shut: new Store(scene.shut?.fault ?? null),
    session: (id) => others.get(id) ?? session,
    isGone: (id) => (scene.gone?.includes(id) === true ? GONE : THERE),
    subscribe: () => () => {},
    send: (name, params) => {
      if (name === "readDraft") return Promise.resolve((scene.draft ?? { text: "", attachments: [] }) as never);
      if (name === "takeIncoming" && !refuses) {
        sent.push({ name, params });
        const taken = scene.takes ?? true;
        const now = app.get();
        if (taken && now) app.set({ ...now, incoming: (now.incoming ?? []).filter(({ id }) => id !== (params as Intents["takeIncoming"]["params"]).ask) });
        return Promise.resolve({ taken } as never);
      }
      // What the panel does by itself is no act of a person.
      if (name !== "keepDraft" && name !== "keepCards" && name !== "readCards") sent.push({ name, params });
      return refuses ? Promise.reject(new Error("The engine would not.")) : Promise.resolve((scene.answers?.[name] ?? USUAL[name] ?? null) as never);
    },
    look: () => {},
    window: () => Promise.resolve(scene.window ?? null),
    onShow: () => () => {},
    requestOrigin: () => Promise.resolve(true),
    close: () => {},
  };
}

const USUAL: Partial<Record<IntentName, unknown>> = { startSession: { session: "01A" }, readCards: { cards: null }, answerApproval: { rules: [], lease: null } };

const WORDS = "The function `sum` adds what it is given, one after the other, and **nothing** else.\n\n- first the price\n- then the weight\n\n```ts\nexport function sum(a: number, b: number) {\n  return a + b;\n}\n```\n\n".split(/(?<=\s)/u);
let word = 0;

/** As the engine's own view does it: only what changed is new. */
function withWord(view: SessionView | null): SessionView | null {
  const turn = view?.turns.at(-1);
  const step = turn?.steps.at(-1);
  if (!view || !turn || !step) return view;
  const grown = { ...step, text: step.text + (WORDS[(word += 1) % WORDS.length] ?? "") };
  return { ...view, seq: view.seq + 1, turns: [...view.turns.slice(0, -1), { ...turn, steps: [...turn.steps.slice(0, -1), grown] }] };
}
