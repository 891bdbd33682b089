// Notifications of the system and the sign on the toolbar button. A notification opens the panel and does nothing else: nobody approves blindly.
import { browser } from "wxt/browser";
import { badgeOf } from "./attention.ts";
import type { Settings } from "./settings.ts";
import { systemWords } from "./system-words.ts";
import type { Attention } from "./views.ts";

const PREFIX = "outrigger.session.";

export class Notifier {
  readonly #settings: () => Settings;
  #waiting = 0;
  #unseen: "done" | "failed" | null = null;
  #panels = 0;

  constructor(settings: () => Settings) {
    this.#settings = settings;
  }

  /** A panel opened: what is done was seen. The returned function is called when it closes. */
  panelOpened(): () => void {
    this.#panels += 1;
    this.#unseen = null;
    this.#show();
    return () => {
      this.#panels -= 1;
    };
  }

  waiting(count: number): void {
    this.#waiting = count;
    this.#show();
  }

  async tell({ kind, session, title }: Attention): Promise<void> {
    if (kind !== "needs_you" && this.#panels === 0) {
      this.#unseen = kind;
      this.#show();
    }
    const { notifyWaiting, notifyDone, language } = this.#settings();
    if (!(kind === "needs_you" ? notifyWaiting : notifyDone) || (await this.#isLookedAt())) return;
    const words = systemWords(language, navigator.language);
    await browser.notifications.create(`${PREFIX}${session}`, { type: "basic", iconUrl: browser.runtime.getURL("/icon/128.png"), title: `Outrigger · ${words[kind]}`, message: title === "" ? words.session : title });
  }

  /** It no longer waits. */
  settled(session: string): void {
    void browser.notifications.clear(`${PREFIX}${session}`).catch(() => {});
  }

  async #isLookedAt(): Promise<boolean> {
    if (this.#panels === 0) return false;
    const window = await browser.windows.getLastFocused().catch(() => null);
    return window?.focused === true;
  }

  #show(): void {
    const { text, color } = badgeOf({ waiting: this.#waiting, unseen: this.#unseen });
    void browser.action.setBadgeText({ text });
    if (text !== "") void browser.action.setBadgeBackgroundColor({ color });
  }
}

/** The session a notification is about; null: it is none of ours. */
export function sessionOfNotification(id: string): string | null {
  return id.startsWith(PREFIX) ? id.slice(PREFIX.length) : null;
}
