// A person who does not see a session is told of it: looking at another one, or at another window, is not seeing it.
import { beforeEach, expect, test, vi } from "vitest";
import { DEFAULT_SETTINGS } from "./settings.ts";
import type { Attention, Looking } from "./views.ts";

const browser = vi.hoisted(() => ({ told: [] as string[], badge: "", focused: { id: 1, focused: true } as { id: number; focused: boolean } }));
vi.mock("wxt/browser", () => ({
  browser: {
    windows: { getLastFocused: async () => browser.focused },
    notifications: { create: async (id: string) => void browser.told.push(id.split(".").at(-1) ?? ""), clear: async () => true },
    runtime: { getURL: (path: string) => path },
    action: { setBadgeText: async ({ text }: { text: string }) => void (browser.badge = text), setBadgeBackgroundColor: async () => {} },
  },
}));
const { Notifier } = await import("./notifier.ts");

beforeEach(() => {
  browser.told = [];
  browser.badge = "";
  browser.focused = { id: 1, focused: true };
});

const here: Looking = { session: "s", window: 1, isVisible: true };
const tell = async (looking: readonly Looking[], kind: Attention["kind"] = "needs_you", parent: string | null = null) => {
  const notifier = new Notifier(() => DEFAULT_SETTINGS, () => looking);
  await notifier.tell({ kind, session: "s", title: "", sound: false }, parent);
  return notifier;
};

test.each<[string, readonly Looking[], boolean]>([
  ["no panel at all", [], true],
  ["the session before the person", [here], false],
  ["its window, whose number the browser does not say", [{ ...here, window: null }], false],
  ["another window", [{ ...here, window: 2 }], true],
  ["another session", [{ ...here, session: "other" }], true],
  ["the settings", [{ ...here, session: null }], true],
  ["a tab behind another one", [{ ...here, isVisible: false }], true],
])("%s", async (_where, looking, isTold) => {
  await tell(looking);
  expect(browser.told).toEqual(isTold ? ["s"] : []);
});

test("a browser that is not before the person shows them nothing", async () => {
  browser.focused = { id: 1, focused: false };
  await tell([here]);
  expect(browser.told).toEqual(["s"]);
});

test("a sub-agent's card stands in the conversation it works for", async () => {
  await tell([{ ...here, session: "parent" }], "needs_you", "parent");
  expect(browser.told).toEqual([]);
});

test("what is done elsewhere is a sign on the button until it is looked at", async () => {
  const notifier = await tell([{ ...here, session: "other" }], "done");
  expect(browser.badge).toBe("✓");
  notifier.lookedAt({ ...here, session: "other" });
  expect(browser.badge).toBe("✓");
  notifier.lookedAt(here);
  expect(browser.badge).toBe("");
});
