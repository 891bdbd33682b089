// Rows 39, 43: what a page brings: by its context menu or at a person's wish, with a preview, and never without a gesture.
import { describe, expect, test } from "vitest";
import type { Attachment } from "../wire/attachment.ts";
import { IntentFault } from "./intent-fault.ts";
import { readClick } from "./page-menu.ts";
import { Pages, type CapturedPage, type MenuTarget } from "./pages.ts";
import { systemWords } from "./system-words.ts";
import type { AttachmentDraft } from "./views.ts";

const PAGE: CapturedPage = { title: "A page", url: "https://blog.example/p", html: "<html><body><h1>Hi</h1><script>alert(1)</script><p>there</p></body></html>", selection: "there" };
const FROM = { window: 1, tab: 7, url: PAGE.url, title: PAGE.title };

function pagesOf(page: CapturedPage | null, refuse: IntentFault | null = null) {
  const drafts: AttachmentDraft[] = [];
  let changes = 0;
  const pages = new Pages({
    read: async () => page,
    picture: async (url) => (url.includes("cat") ? btoa("meow") : Promise.reject(new Error("no"))),
    attach: async (draft) => {
      if (refuse !== null) throw refuse;
      drafts.push(draft);
      return { id: String(drafts.length), kind: draft.kind, name: draft.name, mediaType: draft.mediaType, bytes: 1, tokens: 1, source: draft.source } satisfies Attachment;
    },
    newId: () => `ask${(changes += 1)}`,
    now: () => 5,
    onChange: () => {},
  });
  return { pages, drafts };
}

describe("row 43: the menu", () => {
  test.each<[Parameters<typeof readClick>[0], unknown]>([
    [{ menuItemId: "ask", pageUrl: "u" }, { target: { what: "page" }, profile: null }],
    [{ menuItemId: "ask:review", selectionText: "word", linkUrl: "l" }, { target: { what: "selection", text: "word" }, profile: "review" }],
    [{ menuItemId: "ask", srcUrl: "https://x/cat.png", mediaType: "image", linkUrl: "l" }, { target: { what: "image", url: "https://x/cat.png" } }],
    [{ menuItemId: "ask", srcUrl: "https://x/film", mediaType: "video", linkUrl: "l", linkText: "L" }, { target: { what: "link", url: "l", text: "L" } }],
    [{ menuItemId: "other" }, null],
  ])("%j", (info, expected) => {
    const click = readClick(info, { id: 3, windowId: 8, title: "T" });
    if (click !== null) expect(click.from).toMatchObject({ tab: 3, window: 8 });
    if (expected === null) expect(click).toBeNull();
    else expect(click).toMatchObject(expected as object);
  });

  test.each<[MenuTarget, Partial<AttachmentDraft>]>([
    [{ what: "page" }, { kind: "page", name: "A page", source: PAGE.url, text: "A page\nhttps://blog.example/p\n\n# Hi\n\nthere" }],
    [{ what: "selection", text: "there" }, { kind: "selection", source: PAGE.url, text: "there" }],
    [{ what: "link", url: "https://x.example/a", text: "A" }, { kind: "selection", source: PAGE.url, text: "A\nhttps://x.example/a" }],
    [{ what: "image", url: "https://x.example/cat.png" }, { kind: "image", name: "cat.png", source: PAGE.url, base64: btoa("meow") }],
  ])("%j waits for a composer, and is taken once", async (target, draft) => {
    const { pages, drafts } = pagesOf(PAGE);
    await pages.bring(target, FROM, "review");
    expect(drafts[0]).toMatchObject(draft);
    expect(pages.incoming).toMatchObject([{ profile: "review", problem: null, attachments: [{ id: "1" }] }]);
    const { id = "" } = pages.incoming[0] ?? {};
    expect([pages.take(id), pages.take(id)]).toEqual([true, false]);
    expect(pages.incoming).toEqual([]);
  });

  test("what cannot be had comes as a word, and not as silence", async () => {
    const { pages } = pagesOf(null);
    await pages.bring({ what: "page" }, FROM, null);
    await pages.bring({ what: "image", url: "https://x.example/dog.png" }, FROM, null);
    expect(pages.incoming.map(({ problem }) => problem?.code)).toEqual(["page_not_permitted", "page_unreadable"]);
    const full = pagesOf(PAGE, new IntentFault({ code: "too_large", message: "`A page` is too large.", hint: "Take less.", retryable: false }));
    await full.pages.bring({ what: "page" }, FROM, null);
    expect(full.pages.incoming[0]?.problem).toMatchObject({ code: "too_large", message: "`A page` is too large." });
  });
});

describe("row 39: a page at a person's wish", () => {
  test("is shown before it is kept", async () => {
    const { pages, drafts } = pagesOf(PAGE);
    expect(await pages.capture("page")).toMatchObject({ kind: "page", text: expect.not.stringContaining("alert") as string });
    expect(await pages.capture("selection")).toMatchObject({ kind: "selection", text: "there" });
    expect(drafts).toEqual([]);
  });

  test("refused where the browser does not let us, and where nothing is selected", async () => {
    await expect(pagesOf(null).pages.capture("page")).rejects.toMatchObject({ fault: { code: "page_not_permitted" } });
    await expect(pagesOf({ ...PAGE, selection: " " }).pages.capture("selection")).rejects.toMatchObject({ fault: { code: "nothing_selected" } });
  });
});

test.each([["auto", "de-AT", "Fertig"], ["auto", "zh-CN", "已完成"], ["auto", "fr", "Done"], ["en", "de", "Done"]] as const)("words of the system, %s in a browser of %s", (language, browser, done) => {
  expect(systemWords(language, browser).done).toBe(done);
});
