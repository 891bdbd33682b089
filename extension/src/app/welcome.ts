// A browser shows a new extension nowhere by itself: one page leads to the panel.
import { browser } from "wxt/browser";

const SHOWN = "welcomeShown";

/** Once in a profile: to some browsers each start of an unpacked extension is an install. */
export async function welcomeOnce(): Promise<void> {
  const { [SHOWN]: wasShown } = await browser.storage.local.get(SHOWN);
  if (wasShown === true) return;
  await browser.storage.local.set({ [SHOWN]: true });
  await browser.tabs.create({ url: browser.runtime.getURL("/welcome.html") });
}
