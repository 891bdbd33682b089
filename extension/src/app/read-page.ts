// The page in front, as the browser gives it to us after a gesture on it. The functions that run in the page are whole in themselves.
import { browser } from "wxt/browser";
import type { CapturedPage } from "./pages.ts";

/** More HTML than this is no page to read. */
const MOST_HTML = 4_000_000;

/** Null: the browser does not let us read this page. */
export async function readPage(tab: number | null): Promise<CapturedPage | null> {
  const target = tab ?? (await frontTab());
  if (target === null) return null;
  try {
    const [found] = await browser.scripting.executeScript({ target: { tabId: target }, func: pageParts, args: [MOST_HTML] });
    return (found?.result as CapturedPage | undefined) ?? null;
  } catch {
    return null;
  }
}

/** A picture of the page, with what the page itself may read. Rejects where that is nothing. */
export async function readPicture(url: string, tab: number | null): Promise<string> {
  const target = tab ?? (await frontTab());
  if (target !== null && !url.startsWith("data:")) {
    const found = await browser.scripting.executeScript({ target: { tabId: target }, func: pictureBytes, args: [url] }).catch(() => []);
    const base64: unknown = found[0]?.result;
    if (typeof base64 === "string" && base64 !== "") return base64;
  }
  const blob = await (await fetch(url, { credentials: "omit", referrerPolicy: "no-referrer" })).blob();
  const bytes = new Uint8Array(await blob.arrayBuffer());
  let text = "";
  for (let start = 0; start < bytes.length; start += 32_768) text += String.fromCharCode(...bytes.subarray(start, start + 32_768));
  return btoa(text);
}

async function frontTab(): Promise<number | null> {
  const [tab] = await browser.tabs.query({ active: true, lastFocusedWindow: true });
  return tab?.id ?? null;
}

function pageParts(most: number): CapturedPage {
  return { title: document.title, url: location.href, html: document.documentElement.outerHTML.slice(0, most), selection: String(getSelection() ?? "") };
}

async function pictureBytes(url: string): Promise<string> {
  try {
    const blob = await (await fetch(url)).blob();
    const address = await new Promise<string>((resolve, reject) => {
      const reader = new FileReader();
      reader.addEventListener("load", () => resolve(String(reader.result)));
      reader.addEventListener("error", () => reject(new Error("unreadable")));
      reader.readAsDataURL(blob);
    });
    return address.slice(address.indexOf(",") + 1);
  } catch {
    return "";
  }
}
