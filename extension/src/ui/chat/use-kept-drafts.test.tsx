// @vitest-environment happy-dom
// Closing the panel changes nothing: what is written is kept, and is there in the next page of ours.
import { act, cleanup, renderHook } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import type { PanelClient } from "../../app/panel-client.ts";
import type { Draft } from "../../app/views.ts";
import { carryDraft, changeDraft, readDraft } from "./drafts.ts";
import { useKeptDrafts } from "./use-kept-drafts.ts";

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
