// Wish 5: who may talk to the engine: our own pages, known by their address and never by a tab; nobody else, whatever name they call.
import { beforeEach, expect, test, vi } from "vitest";

const ID = "the-extension";
const served: unknown[] = [];
const listeners = new Map<string, (...values: never[]) => void>();

vi.mock("./background-engine.ts", () => ({
  SCHEDULE_ALARM: "outrigger.schedule",
  startBackgroundEngine: () => ({ servePanel: (port: unknown) => served.push(port), permissionsChanged: () => {}, wake: () => {}, ask: () => {}, show: () => {} }),
}));

vi.mock("wxt/browser", () => {
  const event = (name: string) => ({ addListener: (listener: (...values: never[]) => void) => void listeners.set(name, listener) });
  const area = { setAccessLevel: vi.fn(async () => {}) };
  return {
    browser: {
      runtime: { id: ID, getURL: (path: string) => `chrome-extension://${ID}${path}`, onConnect: event("connect"), onStartup: event("startup"), onInstalled: event("installed") },
      alarms: { onAlarm: event("alarm") },
      permissions: { onAdded: event("added"), onRemoved: event("removed") },
      contextMenus: { onClicked: event("menu") },
      notifications: { onClicked: event("notification") },
      action: { onClicked: event("action") },
      sidePanel: { setPanelBehavior: async () => {} },
      storage: { local: area, session: area },
    },
  };
});

beforeEach(async () => {
  served.length = 0;
  const { default: background } = await import("../entrypoints/background.ts");
  void background.main();
});

function connect(name: string, sender: Record<string, unknown> | undefined) {
  const port = { name, sender, disconnect: vi.fn() };
  listeners.get("connect")?.(port as never);
  return { port, isServed: served.includes(port) };
}

const PANEL = "outrigger.panel.v1";
const PAGE = `chrome-extension://${ID}/sidepanel.html`;

test.each<[string, Record<string, unknown>]>([
  ["a side panel, which has no tab", { id: ID, url: PAGE }],
  ["the panel in a tab, as some browsers show it", { id: ID, url: `${PAGE}?tab#session=1`, tab: { id: 3 } }],
])("%s is served", (_name, sender) => {
  const { port, isServed } = connect(PANEL, sender);
  expect(isServed).toBe(true);
  expect(port.disconnect).not.toHaveBeenCalled();
});

test.each<[string, string, Record<string, unknown> | undefined]>([
  ["a script of ours in somebody's page", PANEL, { id: ID, url: "https://example.org/", tab: { id: 3 } }],
  ["a page whose address only begins alike", PANEL, { id: ID, url: `chrome-extension://${ID}.example.org/sidepanel.html` }],
  ["another extension", PANEL, { id: "another", url: PAGE }],
  ["who does not say where it is", PANEL, { id: ID }],
  ["nobody", PANEL, undefined],
  ["a page of ours that calls another name", "other", { id: ID, url: PAGE }],
])("%s is sent away", (_name, name, sender) => {
  const { port, isServed } = connect(name, sender);
  expect(isServed).toBe(false);
  expect(port.disconnect).toHaveBeenCalledOnce();
});
