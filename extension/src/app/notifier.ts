// Notifications of the system and the sign on the toolbar button. A notification opens the panel and does nothing else: nobody approves blindly.
import { browser } from "wxt/browser";
import { badgeOf } from "./attention.ts";
import type { Settings } from "./settings.ts";
import { systemWords } from "./system-words.ts";
import type { Attention, Looking } from "./views.ts";

const PREFIX = "outrigger.session.";

export class Notifier {
  readonly #settings: () => Settings;
  readonly #looking: () => readonly Looking[];
  #waiting = 0;
  /** By session, until somebody looks at it or opens a panel. */
  readonly #unseen = new Map<string, "done" | "failed">();

  constructor(settings: () => Settings, looking: () => readonly Looking[]) {
    this.#settings = settings;
    this.#looking = looking;
  }

  /** A panel opened: what is done was seen. */
  panelOpened(): void {
    this.#unseen.clear();
    this.#show();
  }

  lookedAt({ session, isVisible }: Looking): void {
    if (session !== null && isVisible && this.#unseen.delete(session)) this.#show();
  }

  waiting(count: number): void {
    this.#waiting = count;
    this.#show();
  }

  /** `parent`: the session whose conversation shows it, too. */
  async tell({ kind, session, title }: Attention, parent: string | null = null): Promise<void> {
    if (await this.#isLookedAt(session, parent)) return;
    if (kind !== "needs_you") {
      this.#unseen.set(session, kind);
      this.#show();
    }
    const { notifyWaiting, notifyDone, language } = this.#settings();
    if (!(kind === "needs_you" ? notifyWaiting : notifyDone)) return;
    const words = systemWords(language, navigator.language);
    await browser.notifications.create(`${PREFIX}${session}`, { type: "basic", iconUrl: browser.runtime.getURL("/icon/128.png"), title: `Outrigger · ${words[kind]}`, message: title === "" ? words.session : title });
  }

  /** It no longer waits. */
  settled(session: string): void {
    void browser.notifications.clear(`${PREFIX}${session}`).catch(() => {});
  }

  /** That very session, in the window the person works in: a panel elsewhere tells them nothing. */
  async #isLookedAt(session: string, parent: string | null): Promise<boolean> {
    const seen = this.#looking().filter((each) => each.isVisible && each.session !== null && (each.session === session || each.session === parent));
    if (seen.length === 0) return false;
    const window = await browser.windows.getLastFocused().catch(() => null);
    return window?.focused === true && seen.some((each) => each.window === null || each.window === window.id);
  }

  #show(): void {
    const unseen = [...this.#unseen.values()];
    const { text, color } = badgeOf({ waiting: this.#waiting, unseen: unseen.includes("failed") ? "failed" : (unseen[0] ?? null) });
    void browser.action.setBadgeText({ text });
    if (text !== "") void browser.action.setBadgeBackgroundColor({ color });
  }
}

/** The session a notification is about; null: it is none of ours. */
export function sessionOfNotification(id: string): string | null {
  return id.startsWith(PREFIX) ? id.slice(PREFIX.length) : null;
}
