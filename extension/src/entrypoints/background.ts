// The background of both browsers: listeners, registered synchronously, and nothing else.
import { browser } from "wxt/browser";
import { defineBackground } from "wxt/utils/define-background";
import { SCHEDULE_ALARM, startBackgroundEngine } from "../app/background-engine.ts";
import { PANEL_PORT } from "../app/bus.ts";
import type { PortLike } from "../app/panel-client.ts";

export default defineBackground({
  type: "module",
  main() {
    const engine = startBackgroundEngine();
    browser.runtime.onConnect.addListener((port) => {
      // Only our own pages know the name and share our origin; a content script would carry a page's.
      const isOurs = port.sender?.id === browser.runtime.id && (port.sender.url ?? "").startsWith(browser.runtime.getURL("/"));
      if (port.name === PANEL_PORT && isOurs) engine.servePanel(port as unknown as PortLike);
      else port.disconnect();
    });
    browser.alarms.onAlarm.addListener((alarm) => {
      if (alarm.name === SCHEDULE_ALARM) engine.wake();
    });
    browser.permissions.onAdded.addListener(() => engine.permissionsChanged());
    browser.permissions.onRemoved.addListener(() => engine.permissionsChanged());
    // Being woken after a start or an update takes up what was under way; there is nothing more to do in it.
    browser.runtime.onStartup.addListener(() => {});
    browser.runtime.onInstalled.addListener(() => {});
    openPanelOnClick();
  },
});

function openPanelOnClick(): void {
  if (import.meta.env.FIREFOX) {
    browser.action.onClicked.addListener(() => void (browser as unknown as FirefoxSidebar).sidebarAction.toggle());
  } else {
    void browser.sidePanel.setPanelBehavior({ openPanelOnActionClick: true });
  }
}

interface FirefoxSidebar {
  readonly sidebarAction: { toggle(): Promise<void> };
}
