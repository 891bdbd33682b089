// A client that knows one scene and takes every intent without doing anything.
import type { SessionView } from "../../agent/session-view.ts";
import type { IntentName, Intents } from "../../app/bus.ts";
import type { PanelClient } from "../../app/panel-client.ts";
import type { AppView, ConnectionView } from "../../app/views.ts";
import { Store } from "../../lib/store.ts";

export interface Scene {
  connection: ConnectionView;
  app: AppView;
  session: SessionView | null;
  /** Where in the panel one is, as its address says it. */
  place?: string;
  /** Test ids of what is pressed, one after the other. */
  press?: readonly string[];
  /** What the engine answers to intents that ask for something. */
  answers?: { [Name in IntentName]?: Intents[Name]["result"] };
  /** Sessions beside the one that is shown. */
  others?: Readonly<Record<string, SessionView>>;
}

export interface SentIntent {
  name: string;
  params: unknown;
}

export function fakeClient(scene: Scene, sent: SentIntent[] = [], refuses = false): PanelClient {
  const session = new Store(scene.session);
  const others = new Map(Object.entries(scene.others ?? {}).map(([id, view]) => [id, new Store<SessionView | null>(view)]));
  return {
    connection: new Store(scene.connection),
    app: new Store<AppView | null>(scene.app),
    session: (id) => others.get(id) ?? session,
    subscribe: () => () => {},
    send: (name, params) => {
      sent.push({ name, params });
      return refuses ? Promise.reject(new Error("The engine would not.")) : Promise.resolve((scene.answers?.[name] ?? (name === "startSession" ? { session: "01A" } : null)) as never);
    },
    requestOrigin: () => Promise.resolve(true),
    close: () => {},
  };
}
