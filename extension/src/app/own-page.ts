// The page of ours that this code runs in: its window, and the way to bring it before the person.
import { browser } from "wxt/browser";

/** Null: the browser does not say. */
export async function ownWindow(): Promise<{ readonly id?: number | undefined } | null> {
  try {
    return await browser.windows.getCurrent();
  } catch {
    return null;
  }
}

/** Its window, and where it is a tab, that. What the browser does not let us do is left. */
export async function comeToFront(): Promise<void> {
  const id = (await ownWindow())?.id;
  if (id !== undefined) await browser.windows.update(id, { focused: true }).catch(() => {});
  const tab = await browser.tabs.getCurrent().catch(() => undefined);
  if (tab?.id !== undefined) await browser.tabs.update(tab.id, { active: true }).catch(() => {});
}
