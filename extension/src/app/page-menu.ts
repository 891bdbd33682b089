// "Ask Outrigger" in the context menu of pages: with the profile a new session would have, or with another one.
import { browser } from "wxt/browser";
import type { MenuTarget } from "./pages.ts";

const ROOT = "ask";
const CONTEXTS = ["page", "selection", "link", "image"] as const;

export interface MenuClick {
  readonly target: MenuTarget;
  readonly profile: string | null;
  readonly from: { readonly tab: number | null; /** Where it was chosen. */ readonly window: number | null; readonly url: string; readonly title: string };
}

/** Made anew at each start and whenever profiles change. */
export async function makeMenu(profiles: readonly { readonly id: string; readonly name: string }[], title: string): Promise<void> {
  await browser.contextMenus.removeAll();
  browser.contextMenus.create({ id: ROOT, title, contexts: [...CONTEXTS] });
  if (profiles.length < 2) return;
  for (const { id, name } of profiles) browser.contextMenus.create({ id: `${ROOT}:${id}`, parentId: ROOT, title: name.replaceAll("&", "&&"), contexts: [...CONTEXTS] });
}

/** The part of what the browser tells of a click that is used. */
export interface ClickInfo {
  readonly menuItemId: string | number;
  readonly selectionText?: string | undefined;
  readonly linkUrl?: string | undefined;
  readonly linkText?: string | undefined;
  readonly srcUrl?: string | undefined;
  readonly mediaType?: string | undefined;
  readonly pageUrl?: string | undefined;
}

/** Null: another item. What is selected comes first, then what lies under the pointer. */
export function readClick(info: ClickInfo, tab: { readonly id?: number | undefined; readonly windowId?: number | undefined; readonly title?: string | undefined } | undefined): MenuClick | null {
  const id = String(info.menuItemId);
  if (id !== ROOT && !id.startsWith(`${ROOT}:`)) return null;
  return {
    target: targetOf(info),
    profile: id === ROOT ? null : id.slice(ROOT.length + 1),
    from: { tab: tab?.id ?? null, window: tab?.windowId ?? null, url: info.pageUrl ?? "", title: tab?.title ?? "" },
  };
}

function targetOf({ selectionText, linkUrl, linkText, srcUrl, mediaType }: ClickInfo): MenuTarget {
  if (selectionText !== undefined && selectionText.trim() !== "") return { what: "selection", text: selectionText };
  if (srcUrl !== undefined && mediaType === "image") return { what: "image", url: srcUrl };
  if (linkUrl !== undefined) return { what: "link", url: linkUrl, text: linkText ?? "" };
  return { what: "page" };
}
