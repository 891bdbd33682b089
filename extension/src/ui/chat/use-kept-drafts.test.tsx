// @vitest-environment happy-dom
// Closing the panel changes nothing: what is written is kept, and is there in the next page of ours.
import { act, cleanup, renderHook } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import type { PanelClient } from "../../app/panel-client.ts";
import type { Draft } from "../../app/views.ts";
import { carryDraft, changeDraft, readDraft, useDraftAttachments } from "./drafts.ts";
import { readKept, useKeptDrafts } from "./use-kept-drafts.ts";

afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

function keeper(stored: Map<string | null, Draft>) {
  const kept: unknown[] = [];
  const send = async (name: string, params: { session: string | null; text: string }) => {
    if (name === "readDraft") return stored.get(params.session) ?? { text: "", attachments: [] };
    kept.push([params.session, params.text]);
    return null;
  };
  return { kept, client: { send } as unknown as PanelClient };
}

test("a pause in the writing keeps it, once; leaving keeps it at once", async () => {
  vi.useFakeTimers();
  const { kept, client } = keeper(new Map());
  const { unmount } = renderHook(() => useKeptDrafts(client, "d1"));
  await act(() => vi.advanceTimersByTimeAsync(0));
  for (const text of ["h", "he", "hello"]) changeDraft("d1", { text });
  expect(kept).toEqual([]);
  await act(() => vi.advanceTimersByTimeAsync(500));
  expect(kept).toEqual([["d1", "hello"]]);
  changeDraft("d1", { text: "hello you" });
  dispatchEvent(new Event("pagehide"));
  expect(kept).toEqual([["d1", "hello"], ["d1", "hello you"]]);
  unmount();
});

test("what was kept elsewhere comes, but not over what is written here", async () => {
  const stored = new Map([["d2", { text: "from the tab", attachments: [] }]]);
  const { client } = keeper(stored);
  const { unmount } = renderHook(() => useKeptDrafts(client, "d2"));
  await act(async () => {});
  expect(readDraft("d2").text).toBe("from the tab");
  changeDraft("d2", { text: "from the tab, and more" });
  await act(async () => dispatchEvent(new Event("focus")));
  expect(readDraft("d2").text).toBe("from the tab, and more");
  unmount();
  renderHook(() => useKeptDrafts(client, "d2"));
  stored.set("d2", { text: "", attachments: [] });
  await act(async () => dispatchEvent(new Event("focus")));
  expect(readDraft("d2").text).toBe("");
});

test("what is written while the first message is on its way goes along to its session", () => {
  changeDraft(null, { text: "fix it  and then" });
  carryDraft("fix it", [], "d3");
  expect([readDraft(null).text, readDraft("d3").text]).toEqual(["", "and then"]);
  changeDraft(null, { text: "fix that, too" });
  carryDraft("fix it", [], "d4");
  expect(readDraft("d4").text).toBe("fix that, too");
});

test("an answer that was on its way while something was written takes nothing back", async () => {
  vi.useFakeTimers();
  let answer: (draft: Draft) => void = () => {};
  const send = async (name: string) => (name === "readDraft" ? new Promise<Draft>((resolve) => { answer = resolve; }) : null);
  const { unmount } = renderHook(() => useKeptDrafts({ send } as unknown as PanelClient, "d5"));
  await act(async () => answer({ text: "", attachments: [] }));
  await act(async () => dispatchEvent(new Event("focus")));
  changeDraft("d5", { text: "written meanwhile" });
  // Kept by now, so nothing but the order of things tells that the answer is older.
  await act(() => vi.advanceTimersByTimeAsync(500));
  await act(async () => answer({ text: "", attachments: [] }));
  expect(readDraft("d5").text).toBe("written meanwhile");
  unmount();
});

test("what is still being kept is not taken back by what was kept before it", async () => {
  vi.useFakeTimers();
  let stored: Draft = { text: "", attachments: [] };
  let arrive: () => void = () => {};
  // A store that is busy: what is read before the new has come is the old.
  const send = async (name: string, params: Draft) => {
    if (name === "readDraft") return stored;
    await new Promise<void>((resolve) => { arrive = resolve; });
    stored = { text: params.text, attachments: [] };
    return null;
  };
  const client = { send } as unknown as PanelClient;
  const { unmount } = renderHook(() => useKeptDrafts(client, "d7"));
  await act(() => vi.advanceTimersByTimeAsync(0));
  changeDraft("d7", { text: "brought from a page" });
  await act(() => vi.advanceTimersByTimeAsync(500));
  const reading = readKept(client, "d7");
  await act(() => vi.advanceTimersByTimeAsync(0));
  expect(readDraft("d7").text).toBe("brought from a page");
  arrive();
  await reading;
  expect(readDraft("d7").text).toBe("brought from a page");
  unmount();
});

test("what comes before it is known what waits goes along with it", async () => {
  const attachment = (id: string) => ({ id, kind: "page", name: id }) as unknown as Draft["attachments"][number];
  const { client } = keeper(new Map([["d6", { text: "half a sentence", attachments: [attachment("old")] }]]));
  changeDraft("d6", { attachments: [attachment("new")] });
  await readKept(client, "d6");
  expect(readDraft("d6")).toEqual({ text: "half a sentence", attachments: [attachment("old"), attachment("new")] });
});

test("a key draws the message box, and not who looks at what goes along with it", () => {
  let drawn = 0;
  const { result } = renderHook(() => {
    drawn += 1;
    return useDraftAttachments("d7");
  });
  act(() => changeDraft("d7", { text: "h" }));
  act(() => changeDraft("d7", { text: "he" }));
  expect(drawn).toBe(1);
  act(() => changeDraft("d7", { attachments: [{ id: "a", kind: "page", name: "a" } as unknown as Draft["attachments"][number]] }));
  expect([drawn, result.current.length]).toEqual([2, 1]);
});
