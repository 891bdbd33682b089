// What a page brings: by its context menu, or read at a person's wish. The browser lets us read a page only after their gesture on it.
import type { Fault } from "../agent/events.ts";
import type { Attachment } from "../wire/attachment.ts";
import { htmlToMarkdown } from "../lib/html-to-markdown.ts";
import type { MenuClick } from "./page-menu.ts";
import { IntentFault } from "./intent-fault.ts";
import type { AttachmentDraft, IncomingAsk } from "./views.ts";

/** What the browser tells of the page in front. */
export interface CapturedPage {
  readonly title: string;
  readonly url: string;
  /** The whole page, or what is selected; of the page as HTML. */
  readonly html: string;
  readonly selection: string;
}

export interface PagesParts {
  /** Null: the browser does not let us read it. */
  readonly read: (tab: number | null) => Promise<CapturedPage | null>;
  /** A picture of a page, as base64; rejects where it cannot be had. */
  readonly picture: (url: string, tab: number | null) => Promise<string>;
  readonly attach: (draft: AttachmentDraft) => Promise<Attachment>;
  readonly newId: () => string;
  readonly now: () => number;
  readonly onChange: () => void;
}

export type MenuTarget =
  | { readonly what: "page" }
  | { readonly what: "selection"; readonly text: string }
  | { readonly what: "link"; readonly url: string; readonly text: string }
  | { readonly what: "image"; readonly url: string };

export class Pages {
  readonly #parts: PagesParts;
  #incoming: readonly IncomingAsk[] = [];

  constructor(parts: PagesParts) {
    this.#parts = parts;
  }

  get incoming(): readonly IncomingAsk[] {
    return this.#incoming;
  }

  /** For a preview; nothing is kept. */
  async capture(what: "page" | "selection", tab: number | null = null): Promise<AttachmentDraft> {
    const page = await this.#parts.read(tab);
    if (page === null) {
      throw new IntentFault({ code: "page_not_permitted", message: "The browser does not let Outrigger read this page yet.", hint: "Right-click on the page and choose Ask Outrigger; that allows it for this page.", retryable: true });
    }
    if (what === "selection" && page.selection.trim() === "") {
      throw new IntentFault({ code: "nothing_selected", message: "Nothing is selected on the page.", hint: "Select the text first.", retryable: true });
    }
    return what === "selection" ? selectionDraft(page.selection, page.url, page.title) : pageDraft(page);
  }

  /** From the context menu: waits until a composer takes it. */
  async bring(target: MenuTarget, from: MenuClick["from"], profile: string | null): Promise<void> {
    const id = this.#parts.newId();
    let attachments: readonly Attachment[] = [];
    let problem: Fault | null = null;
    try {
      attachments = [await this.#parts.attach(await this.#draft(target, from))];
    } catch (error) {
      problem = error instanceof IntentFault ? error.fault : { code: "page_unreadable", message: "The page could not be read.", hint: "Reload the page, then try again.", retryable: true };
    }
    this.#incoming = [...this.#incoming, { id, window: from.window, profile, attachments, problem, at: this.#parts.now() }];
    this.#parts.onChange();
  }

  /** False: another panel was quicker. */
  take(ask: string): boolean {
    const rest = this.#incoming.filter(({ id }) => id !== ask);
    const isMine = rest.length < this.#incoming.length;
    this.#incoming = rest;
    this.#parts.onChange();
    return isMine;
  }

  async #draft(target: MenuTarget, from: MenuClick["from"]): Promise<AttachmentDraft> {
    switch (target.what) {
      case "page":
        return this.capture("page", from.tab);
      case "selection":
        return selectionDraft(target.text, from.url, from.title);
      case "link":
        return { kind: "selection", name: target.text === "" ? target.url : target.text, mediaType: "text/plain", source: from.url, text: target.text === "" ? target.url : `${target.text}\n${target.url}` };
      case "image":
        return { kind: "image", name: nameOf(target.url), mediaType: "", source: from.url, base64: await this.#parts.picture(target.url, from.tab) };
    }
  }
}

function pageDraft({ title, url, html }: CapturedPage): AttachmentDraft {
  return { kind: "page", name: title === "" ? url : title, mediaType: "text/markdown", source: url, text: `${title}\n${url}\n\n${htmlToMarkdown(html)}` };
}

function selectionDraft(text: string, url: string, title: string): AttachmentDraft {
  return { kind: "selection", name: title === "" ? url : title, mediaType: "text/plain", source: url, text };
}

function nameOf(url: string): string {
  if (url.startsWith("data:")) return "picture";
  const last = URL.canParse(url) ? (new URL(url).pathname.split("/").at(-1) ?? "") : "";
  return last === "" ? "picture" : last;
}
