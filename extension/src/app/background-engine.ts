// Puts the engine together with the browser: storage, the native port, models, panels.
//
// `attach` is called synchronously when the background starts and hands out what its listeners call;
// what takes time (opening the database, taking sessions up) happens behind a promise that every listener waits for.
import { newUlid } from "../lib/ids.ts";
import { browser } from "wxt/browser";
import ids from "../../../manifests/ids.json" with { type: "json" };
import type { EngineWorld, ToolHost } from "../agent/world.ts";
import { Connection } from "../host/connection.ts";
import { HostClient } from "../host/host-client.ts";
import { faultOf, HostUnreachable } from "../host/faults.ts";
import { PortTransport } from "../host/port-transport.ts";
import { openNativePort } from "../host/native-port.ts";
import { titleOf } from "../agent/projection.ts";
import { APPROVAL_HOLD_MS } from "../agent/limits.ts";
import { browserModel, hasBrowserModel } from "../llm/browser-model.ts";
import { localDay } from "../lib/local-day.ts";
import { oneAtATime } from "../lib/one-at-a-time.ts";
import { openStorage, type Opening } from "../storage/open-storage.ts";
import { Witness } from "../storage/witness.ts";
import { listsOf } from "./app-lists.ts";
import { attentionOf } from "./attention.ts";
import { Disk } from "./disk.ts";
import { Engine } from "./engine.ts";
import { Errands } from "./errands.ts";
import { fetchPage } from "./fetch-page.ts";
import { intentHandlers } from "./intents.ts";
import { KeyVault } from "./key-vault.ts";
import { Lobby } from "./lobby.ts";
import { sessionMemory } from "./session-memory.ts";
import { Models } from "./models.ts";
import { Notifier } from "./notifier.ts";
import { makeTitle } from "./make-title.ts";
import { makeMenu, type MenuClick } from "./page-menu.ts";
import { Pages } from "./pages.ts";
import { readPage, readPicture } from "./read-page.ts";
import { SettingsBook } from "./settings.ts";
import { startMemory } from "./start-memory.ts";
import { StorageFaults } from "./storage-faults.ts";
import { systemWords } from "./system-words.ts";
import { asToolHost } from "./tool-host.ts";
import { originPattern } from "./origins.ts";
import { removeOriginFor } from "./origin-rules.ts";
import { PanelServer } from "./panel-server.ts";
import type { PortLike } from "./panel-client.ts";
import { RuleBook } from "./rule-book.ts";
import { Traces } from "./traces.ts";
import { lockSession, sessionFree } from "./session-lock.ts";
import { witnessArea } from "./witness-area.ts";
import type { AppView, WorkspaceView } from "./views.ts";

/** How many changes of the lists are gathered before panels hear of them. */
const GATHER_MS = 40;

/** The one alarm: for whichever schedule comes next. */
export const SCHEDULE_ALARM = "outrigger.schedule";

export interface BackgroundEngine {
  servePanel(port: PortLike): void;
  permissionsChanged(): void;
  /** An alarm rang: begin what is due. */
  wake(): void;
  /** "Ask Outrigger" was chosen on a page. */
  ask(click: MenuClick): void;
  /** A panel turns to this session. */
  show(session: string): void;
  /** One of our pages is open: known at once, while a click is being handled. */
  hasPanel(): boolean;
}

export function startBackgroundEngine(): BackgroundEngine {
  const version = browser.runtime.getManifest().version;
  const connection = new Connection<HostClient>({
    open: async (lost) => {
      const transport = new PortTransport({
        open: () => openNativePort(ids.host_name),
        clientVersion: version,
        extensionId: browser.runtime.id,
      });
      return HostClient.connect(transport, version, () => lost(transport.lost ?? faultOf("connection_lost")));
    },
    starts: startMemory(sessionMemory),
  });
  const lobby = new Lobby({ connection: () => connection.view.get() });
  const ready = assemble(connection, lobby);
  let open = 0;
  return {
    servePanel: (port) => {
      open += 1;
      port.onDisconnect.addListener(() => (open -= 1));
      const early = lobby.admit(port);
      void ready.then(({ panels }) => panels.serve(early));
    },
    permissionsChanged: () => void ready.then(({ refresh }) => refresh()),
    wake: () => void ready.then(({ engine }) => engine.schedules.tick().then(() => engine.library.sweep())),
    ask: (click) => void ready.then(({ pages }) => pages.bring(click.target, click.from, click.profile)),
    hasPanel: () => open > 0,
    show: (session) => void ready.then((engine) => engine.show(session)),
  };
}

async function assemble(connection: Connection<HostClient>, lobby: Lobby) {
  // Asked for at once, and awaited after the database.
  const known = witnessArea.read().catch(() => null);
  const faults = new StorageFaults();
  let onShut = () => {};
  const opening: Opening = {
    run: import.meta.env.FIREFOX ? null : sessionMemory,
    room: async () => {
      const { quota, usage } = (await navigator.storage?.estimate()) ?? {};
      return quota === undefined || usage === undefined ? null : quota - usage;
    },
    onShut: (shut) => {
      faults.shut(shut);
      onShut();
    },
  };
  const storage = await lobby.until(() => openStorage(opening));
  const witness = await lobby.until(() => Witness.compare(storage, { ...witnessArea, read: () => known }, { now: Date.now(), newId: newUlid }));
  const vault = new KeyVault({ storage, memory: sessionMemory });
  const models = new Models({ storage, vault, newId: newUlid, isPermitted: (origin) => browser.permissions.contains({ origins: [origin] }) });
  const book = new RuleBook(storage);
  const traces = new Traces(storage);
  const settings = new SettingsBook(storage);
  const notifier = new Notifier(() => settings.get(), () => panels.looking);
  let focus: { readonly session: string; readonly at: number } | null = null;
  let workspaces: readonly WorkspaceView[] | null = null;
  let app: AppView | null = null;
  let gathering: ReturnType<typeof setTimeout> | null = null;

  const world: EngineWorld = {
    host: () => (connection.client === null ? null : hostOf(connection.client, () => workspaces)),
    hostReady: async (timeoutMs) => hostOf(await connection.ready(timeoutMs), () => workspaces),
    hold: (reason) => {
      const release = connection.hold(reason);
      if (reason === "turn") return release;
      const timer = setTimeout(release, APPROVAL_HOLD_MS);
      return () => (clearTimeout(timer), release());
    },
    model: (id) => models.open(id),
    modelLabel: (id) => models.label(id),
    modelFacts: (id) => models.facts(id),
    tokenFactor: (id) => engine.tokenFactor(id),
    models: async () => (await models.list()).map(({ id, label }) => ({ id, label })),
    helperModel: (task) => models.helper(task, settings.get()),
    trace: (trace) => traces.add(trace),
    get agents() {
      return engine.children;
    },
    get schedules() {
      return engine.schedules;
    },
    get profiles() {
      return engine.profiles;
    },
    attachment: (id) => engine.attachments.content(id),
    keepPictures: (session, name, pictures) => engine.attachments.keep(session, name, pictures),
    isOriginPermitted: async (address) => {
      const origin = originPattern(address);
      return origin !== null && browser.permissions.contains({ origins: [origin] });
    },
    fetchPage: (url, signal, timeoutMs) => fetchPage({ fetch: (...request) => fetch(...request), isPermitted: (origin) => browser.permissions.contains({ origins: [origin] }) }, url, signal, timeoutMs),
    strangerWorkspaces: () => settings.get().strangerWorkspaces,
    rules: () => book.list(),
    ruleUsed: (id) => book.used(id, Date.now()),
    now: () => Date.now(),
    random: () => Math.random(),
    newId: () => newUlid(),
    onBroken: (session, error) => {
      faults.broken(session, error);
      gather();
    },
  };

  const engine = new Engine({
    storage,
    book,
    settings,
    title: async (log) => ((await hasBrowserModel()) ? makeTitle(log, browserModel({ label: "" })) : null),
    world,
    lock: lockSession,
    free: sessionFree,
    setAlarm: (at) => void (at === null ? browser.alarms.clear(SCHEDULE_ALARM) : browser.alarms.create(SCHEDULE_ALARM, { when: at })),
    onEvents: (session, events, log) => {
      // What is written again is no fault any more.
      if (faults.mended(session)) gather();
      panels.pushEvents(session, events);
      const kind = attentionOf(events, log);
      if (kind !== null) {
        const attention = { kind, session, title: titleOf(log), sound: settings.get().sound && kind === "needs_you" };
        panels.pushAttention(attention);
        void notifier.tell(attention, log.origin?.kind === "subagent" ? log.origin.session : null).catch(() => {});
      } else if (events.some(({ event }) => SETTLES.has(event.type))) notifier.settled(session);
    },
    onSessions: () => gather(),
    onProfiles: () => void menu(),
  });

  const refreshApp = oneAtATime(async (): Promise<void> => {
    // What cannot be read now is shown as it was, with the reason.
    if (faults.current !== null && app !== null) panels.pushApp((app = { ...app, storageFault: faults.current }));
    const rows = await engine.sessions();
    const view: AppView = {
      ...listsOf(rows, workspaces),
      memoryOnly: storage.memoryOnly,
      models: await models.list(),
      workspaces,
      defaults: engine.defaults,
      modes: ["ask", "accept_edits", "plan"],
      keys: await vault.state(),
      settings: settings.get(),
      retention: engine.library.notice,
      deleted: await engine.library.deleted(),
      incoming: pages.incoming,
      focus,
      ...(faults.current === null ? {} : { storageFault: faults.current }),
      ...(witness.loss === null ? {} : { storageLoss: witness.loss }),
    };
    void witness.counted(rows.length, Date.now());
    app = view;
    panels.pushApp(view);
    notifier.waiting(rows.reduce((sum, { waiting }) => sum + waiting, 0));
  });
  const gather = (): void => {
    gathering ??= setTimeout(() => {
      gathering = null;
      void refreshApp().catch(() => {});
    }, GATHER_MS);
  };
  onShut = gather;
  const refreshWorkspaces = async (): Promise<void> => {
    const client = connection.client;
    workspaces =
      client === null
        ? workspaces
        : (await client.listWorkspaces()).map((workspace) => ({
            id: workspace.id,
            path: workspace.path,
            isDefault: workspace.default,
            readOnly: workspace.read_only,
            available: workspace.available,
            reason: workspace.reason ?? null,
          }));
    gather();
  };
  const hideOrigin = async (from: readonly string[] = []): Promise<void> => {
    await removeOriginFor([...(await models.baseUrls()), ...from]).catch(() => {});
  };
  const refresh = async (): Promise<void> => {
    await hideOrigin();
    await refreshApp();
  };

  const pages = new Pages({ read: readPage, picture: readPicture, attach: (draft) => engine.attach(null, draft), newId: () => newUlid(), now: () => Date.now(), onChange: gather });
  const disk = new Disk(storage, engine.library, navigator.storage ?? null);
  const usage = async (days: number) => (await storage.listUsage(localDay(Date.now() - (days - 1) * DAY_MS))).toReversed();
  const menu = oneAtATime(async (): Promise<void> => makeMenu(await engine.profiles.list(), systemWords(settings.get().language, navigator.language).ask).catch(() => {}));
  const errands = new Errands((timeoutMs) => connection.ready(timeoutMs));
  const panels = new PanelServer({
    handlers: intentHandlers({ errands, engine, models, connection, traces, vault, settings, disk, pages, usage, menu, hideOrigin, refresh, refreshApp, refreshWorkspaces, lossNoted: () => witness.noted(), gone: (session) => (faults.mended(session), panels.pushGone(session)), back: (session) => panels.pushBack(session) }),
    readEvents: (session, after, most) => engine.readEvents(session, after, most),
    connection: () => connection.view.get(),
    app: () => app,
    onPanel: () => {
      notifier.panelOpened();
      return connection.hold("panel");
    },
    onLooking: (looking) => notifier.lookedAt(looking),
  });

  connection.view.subscribe(() => {
    const view = connection.view.get();
    panels.pushConnection(view);
    if (view.state !== "connected") return;
    // A workspace that was added in a terminal appears by itself.
    if (connection.client !== null) connection.client.onChanged = () => void refreshWorkspaces().catch(() => {});
    void refreshWorkspaces().catch(() => {});
    void engine.pump();
  });

  await Promise.all([lobby.until(() => traces.load()), lobby.until(() => engine.start())]);
  // A panel is served before the lists are made: they come as soon as they are.
  void refresh()
    .catch(() => {})
    .then(() => Promise.all([menu(), settleDown(engine, pages)]));
  const show = async (session: string): Promise<void> => {
    const window = await browser.windows.getLastFocused().catch(() => null);
    if (panels.show(session, window?.id ?? null)) return;
    // The panel that opens for it reads this.
    focus = { session, at: Date.now() };
    gather();
  };
  return { panels, refresh, engine, pages, show };
}

/** What is done when there is time: old attachments, the search's words, what is too much. */
async function settleDown(engine: Engine, pages: Pages): Promise<void> {
  await engine.attachments.sweep(new Set([...engine.drafts.attachments, ...pages.incoming.flatMap(({ attachments }) => attachments.map(({ id }) => id))])).catch(() => {});
  await engine.library.index.catchUp(await engine.sessions()).catch(() => {});
  await engine.library.sweep();
}

/** After these a session no longer waits for what its notification said. */
const SETTLES: ReadonlySet<string> = new Set(["ApprovalAnswered", "QuestionAnswered", "QuestionCancelled", "QuestionFailed", "TurnResumed", "TurnEnd"]);

const DAY_MS = 24 * 60 * 60_000;


/** A workspace that is gone is told before anything is sent to another one. */
function hostOf(client: HostClient, workspaces: () => readonly WorkspaceView[] | null): ToolHost {
  return asToolHost(client, async (id) => {
    const known = workspaces() ?? (await client.listWorkspaces()).map((workspace) => ({ ...workspace, isDefault: workspace.default }));
    const found = known.find((workspace) => (id === null ? workspace.isDefault : workspace.id === id));
    if (id !== null && found === undefined) {
      throw new HostUnreachable({
        ...faultOf("unknown"),
        code: "workspace_gone",
        message: `The host does not know the workspace \`${id}\` any more.`,
        hint: "Choose another workspace.",
        command: null,
      });
    }
    return found ?? null;
  });
}
