// Reads one address for `web_fetch`: without cookies, without redirects, no more than a page's worth, and only where the browser lets us.
import type { FetchedPage } from "../agent/world.ts";
import { originPattern } from "./origins.ts";

/** More is no page to read. */
const MOST_BYTES = 2 * 1_048_576;
const PATIENCE_MS = 30_000;

export interface FetchParts {
  readonly fetch: typeof fetch;
  /** The browser lets us ask this origin. */
  readonly isPermitted: (origin: string) => Promise<boolean>;
}

export async function fetchPage({ fetch: ask, isPermitted }: FetchParts, url: string, signal: AbortSignal, timeoutMs: number | null = null): Promise<FetchedPage> {
  const origin = originPattern(url);
  if (origin === null || !(await isPermitted(origin))) {
    return failed("origin_not_permitted", `the browser does not let Outrigger read ${new URL(url).origin}`, "The browser asks the user for it when they allow a card of this tool. Ask them before you call it again.");
  }
  try {
    const response = await ask(url, {
      credentials: "omit",
      cache: "no-store",
      referrerPolicy: "no-referrer",
      // Where a redirect leads is not known before it is followed, and may be anywhere.
      redirect: "manual",
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs ?? PATIENCE_MS)]),
    });
    if (response.type === "opaqueredirect" || (response.status >= 300 && response.status < 400)) {
      return failed("redirected", `${url} leads to another address, which is not followed`, "Ask for the final address, often with https or www.");
    }
    if (!response.ok) return failed("http_status", `${url} answered with status ${response.status}`, null);
    const contentType = response.headers.get("content-type") ?? "";
    if (!/^(?:text\/|application\/(?:json|xml|xhtml\+xml|[a-z.+-]*\+(?:json|xml)))/i.test(contentType)) {
      return failed("not_text", `${url} is no text (${contentType === "" ? "of no type" : contentType})`, null);
    }
    return { kind: "page", contentType, text: await readText(response) };
  } catch (error) {
    if (signal.aborted) throw error;
    return failed("unreachable", `${url} could not be read: ${error instanceof Error ? error.message : String(error)}`, "It may be down, or not let other programs read it.");
  }
}

async function readText(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  if (reader === undefined) return "";
  const charset = /charset=["']?([\w-]+)/i.exec(response.headers.get("content-type") ?? "")?.[1] ?? "utf-8";
  const decoder = decoderOf(charset);
  let text = "";
  let bytes = 0;
  while (bytes < MOST_BYTES) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.length;
    text += decoder.decode(value, { stream: true });
  }
  await reader.cancel().catch(() => {});
  return text;
}

function decoderOf(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}

function failed(code: string, message: string, hint: string | null): FetchedPage {
  return { kind: "failed", code, message, hint };
}
