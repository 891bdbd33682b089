// Our button in the browser's toolbar, and the panel it opens, as a page of ours needs them.
import { browser } from "wxt/browser";

/** A browser tells nobody when a button is pinned, so it is asked now and then, while someone looks. */
const LOOK_MS = 1_000;

interface FirefoxSidebar {
  readonly sidebarAction: { open(): Promise<void> };
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

/** Tells whether our button stands in the toolbar, now and whenever that changes. Returns the way to stop. */
export function followPin(tell: (isPinned: boolean) => void): () => void {
  const look = () => void browser.action.getUserSettings?.().then(({ isOnToolbar }) => tell(isOnToolbar === true)).catch(() => {});
  look();
  const timer = setInterval(() => document.visibilityState === "visible" && look(), LOOK_MS);
  return () => clearInterval(timer);
}
