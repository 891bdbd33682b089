// @vitest-environment happy-dom
// Row 39: what is put beside a message is a chip with its size and where it comes from; nothing of a page comes in unseen.
import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { fakeClient, type Scene, type SentIntent } from "../gallery/fake-client.ts";
import { scenes } from "../gallery/scenes.ts";
import { Panel } from "../panel/panel.tsx";
import { eventually } from "../../testing/eventually.ts";

afterEach(cleanup);

let place = 0;
/** Each in a session of its own: what is beside a message is kept by session. */
async function open(more: Partial<Scene> = {}, refuses = false) {
  const scene = scenes["attachments"];
  if (!scene?.session) throw new Error("no scene");
  const id = `attachments-${(place += 1)}`;
  const sent: SentIntent[] = [];
  const summary = { ...scene.app.sessions[0], id, status: "running" as const } as (typeof scene.app.sessions)[number];
  await act(async () => render(<Panel client={fakeClient({ ...scene, session: { ...scene.session, id } as typeof scene.session, app: { ...scene.app, sessions: [summary] }, ...more }, sent, refuses)} />));
  return { sent, id };
}
const click = (name: string, at = 0) => act(async () => fireEvent.click(screen.getAllByTestId(name)[at] as HTMLElement));
const composer = () => screen.getByTestId("composer-input").parentElement as HTMLElement;
const chips = () => [...composer().querySelectorAll<HTMLElement>("[data-testid=attachment]")];

test("what a page's menu brought stands beside the message, is taken once, and goes along with it, without words too", async () => {
  const { sent, id } = await open();
  expect(chips().map((chip) => chip.dataset["kind"])).toEqual(["file", "page", "image"]);
  expect(chips()[1]?.textContent).toContain("nodejs.org");
  expect(sent.filter(({ name }) => name === "takeIncoming")).toHaveLength(1);
  await click("attachment-remove", 0);
  await click("send");
  expect(sent.at(-1)).toEqual({ name: "sendMessage", params: { session: id, text: "", attachments: ["a2", "a3"] } });
  expect(chips()).toEqual([]);
});

test("what a page's menu brought is taken by the panel of its window alone, and by one of two that are there", async () => {
  const { app } = scenes["attachments"] as Scene;
  const [ask] = app.incoming ?? [];
  if (!ask) throw new Error("nothing comes");
  const incoming = [{ ...ask, window: 7, profile: "review" }];
  const acts = (sent: readonly SentIntent[]) => sent.filter(({ name }) => name === "takeIncoming" || name === "selectProfile").map(({ name }) => name);
  const elsewhere = await open({ app: { ...app, incoming, sessions: [] }, session: null, window: 8 });
  expect([chips().length, acts(elsewhere.sent)]).toEqual([0, []]);
  cleanup();
  const late = await open({ app: { ...app, incoming, sessions: [] }, session: null, window: 7, takes: false });
  expect([chips().length, acts(late.sent)]).toEqual([0, ["takeIncoming"]]);
  cleanup();
  location.hash = "#screen=settings";
  const here = await open({ app: { ...app, incoming }, window: 7 });
  expect([chips().length, acts(here.sent)]).toEqual([3, ["takeIncoming", "selectProfile"]]);
  location.hash = "";
});

test("in a tab there is no page in front", async () => {
  history.replaceState(null, "", "?tab");
  await open({ app: { ...(scenes["attachments"] as Scene).app, incoming: [] } });
  await click("attach");
  expect([screen.queryByTestId("attach-file") === null, screen.queryByTestId("attach-page")]).toEqual([false, null]);
  history.replaceState(null, "", location.pathname);
});

test("a page is looked at before it is attached", async () => {
  const { sent } = await open({ app: { ...(scenes["attachments"] as Scene).app, incoming: [] } });
  await click("attach");
  await click("attach-page");
  expect(screen.getByTestId("page-sheet").textContent).toContain("facilitates the creation of tests");
  expect(sent.some(({ name }) => name === "addAttachment")).toBe(false);
  await click("page-attach");
  expect(sent.at(-1)).toMatchObject({ name: "addAttachment", params: { draft: { kind: "page", source: "https://nodejs.org/api/test.html" } } });
  expect(chips()).toHaveLength(1);
});

const pasted = (words: string) => ({ files: [new File(["x"], "shot.png", { type: "image/png" })], getData: (type: string) => (type === "text/plain" ? words : "") });

test("cells of a table bring their picture along: their words are pasted", async () => {
  const { sent } = await open({ app: { ...(scenes["attachments"] as Scene).app, incoming: [] } });
  const isLeftAlone = fireEvent.paste(screen.getByTestId("composer-input"), { clipboardData: pasted("price\tweight") });
  await act(async () => {});
  expect([isLeftAlone, sent.filter(({ name }) => name === "addAttachment")]).toEqual([true, []]);
});

test("a file is read and handed over; a pasted picture too", async () => {
  const { sent } = await open({ app: { ...(scenes["attachments"] as Scene).app, incoming: [] } });
  const picker = screen.getByTestId("attach-picker");
  await act(async () => fireEvent.change(picker, { target: { files: [new File(["hello"], "a.txt", { type: "text/plain" })] } }));
  await eventually(() => expect(sent.at(-1)).toMatchObject({ name: "addAttachment", params: { draft: { kind: "file", name: "a.txt", base64: "aGVsbG8=" } } }));
  await act(async () => fireEvent.paste(screen.getByTestId("composer-input"), { clipboardData: pasted("") }));
  await eventually(() => expect(sent.at(-1)).toMatchObject({ name: "addAttachment", params: { draft: { kind: "image", name: "shot.png" } } }));
});

test("what was sent is shown, not taken away; a click looks at it", async () => {
  await open({ app: { ...(scenes["attachments"] as Scene).app, incoming: [] } });
  const turn = screen.getByTestId("turn");
  expect(turn.querySelectorAll("[data-testid=attachment]")).toHaveLength(2);
  expect(turn.querySelector("[data-testid=attachment-remove]")).toBeNull();
  await act(async () => fireEvent.click(turn.querySelector("[data-testid=attachment] button") as HTMLElement));
  expect(screen.getByTestId("attachment-sheet").textContent).toContain("AssertionError: 3 !== -1");
});

test("files are let go anywhere on the conversation, which says so; elsewhere they are not opened in the place of the panel", async () => {
  const { sent } = await open({ app: { ...(scenes["attachments"] as Scene).app, incoming: [] } });
  const file = new File(["words"], "dropped.txt", { type: "text/plain" });
  const drag = (target: Element, name: "dragOver" | "dragLeave" | "drop", kind = "file") => act(async () => fireEvent[name](target, { dataTransfer: { items: [{ kind }], files: [file] } }));
  const talk = screen.getByTestId("transcript");
  // Words of a page are no files.
  expect(await drag(talk, "dragOver", "string")).toBe(true);
  expect(screen.queryByTestId("drop-hint")).toBeNull();
  expect(await drag(talk, "dragOver")).toBe(false);
  expect(screen.queryByTestId("drop-hint")).not.toBeNull();
  await drag(talk, "dragLeave");
  expect(screen.queryByTestId("drop-hint")).toBeNull();
  await drag(talk, "dragOver");
  expect(await drag(talk, "drop")).toBe(false);
  expect(screen.queryByTestId("drop-hint")).toBeNull();
  await eventually(() => expect(sent.findLast(({ name }) => name === "addAttachment")?.params).toMatchObject({ draft: { name: "dropped.txt" } }));
  expect(await drag(screen.getByTestId("title"), "drop")).toBe(false);
});
