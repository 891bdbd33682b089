// Our button in the browser's toolbar, and the panel it opens, as a page of ours needs them.
import { browser } from "wxt/browser";

/** A browser tells nobody when a button is pinned or a panel shut, so it is asked now and then, while someone looks. */
const LOOK_MS = 1_000;

export interface PanelPlace {
  /** Our button stands in the toolbar. */
  readonly isPinned: boolean;
  /** A panel is open. */
  readonly isOpen: boolean;
}

interface FirefoxSidebar {
  readonly sidebarAction: { open(): Promise<void>; isOpen(details: object): Promise<boolean> };
}

/** The way to open the panel beside this page, to be called in a click. Where the browser has none, it comes as a tab. */
export async function openPanelHere(): Promise<() => Promise<void>> {
  const asTab = () => browser.tabs.create({ url: browser.runtime.getURL("/sidepanel.html") }).then(() => {});
  // Known before the click: a browser opens the panel only while the click is being handled.
  const { id } = await browser.windows.getCurrent();
  return () => {
    if (import.meta.env.FIREFOX) return (browser as unknown as FirefoxSidebar).sidebarAction.open().catch(asTab);
    return id === undefined ? asTab() : browser.sidePanel.open({ windowId: id }).catch(asTab);
  };
}

/** Tells how both stand, now and whenever that changes. Returns the way to stop. */
export function followPanelPlace(tell: (place: PanelPlace) => void): () => void {
  const look = async () => {
    const [settings, isOpen] = await Promise.all([browser.action.getUserSettings(), isPanelOpen()]);
    tell({ isPinned: settings.isOnToolbar === true, isOpen });
  };
  const ask = () => void look().catch(() => {});
  ask();
  const timer = setInterval(() => document.visibilityState === "visible" && ask(), LOOK_MS);
  return () => clearInterval(timer);
}

async function isPanelOpen(): Promise<boolean> {
  if (import.meta.env.FIREFOX) return (browser as unknown as FirefoxSidebar).sidebarAction.isOpen({});
  return (await browser.runtime.getContexts({ contextTypes: ["SIDE_PANEL"] })).length > 0;
}
