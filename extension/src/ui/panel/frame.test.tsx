// @vitest-environment happy-dom
// Around the screens: what breaks there breaks alone, and what must be told is told on every screen.
import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { allScenes } from "../gallery/all-scenes.ts";
import { fakeClient, type Scene } from "../gallery/fake-client.ts";
import { Panel } from "./panel.tsx";

beforeEach(() => vi.spyOn(console, "error").mockReturnValue());
afterEach(() => {
  cleanup();
  localStorage.clear();
  vi.restoreAllMocks();
});

const open = async (name: string, more: Partial<Scene> = {}) => {
  const scene = allScenes[name];
  if (!scene) throw new Error(`no scene ${name}`);
  location.hash = "";
  await act(async () => render(<Panel client={fakeClient({ ...scene, ...more })} />));
};
const input = () => screen.getByTestId<HTMLTextAreaElement>("composer-input");

test("before what is stored could be opened, a panel says why, and nothing that sounds as if it was lost or empty", async () => {
  await open("storage-full-at-start");
  expect(screen.getByTestId("storage-notice").textContent).toContain("Nothing that was stored is lost");
  expect(screen.getByText(/Your sessions are here again/)).toBeTruthy();
  expect(screen.getByTestId("title").textContent).toBe("Outrigger");
  for (const claim of ["gone-session", "composer-input", "new-session", "open-history", "connection-status"]) expect(screen.queryByTestId(claim)).toBeNull();
  expect(screen.getByTestId("storage-retry")).toBeTruthy();
});

test("a panel that was open keeps what it shows while what is stored cannot be opened", async () => {
  const { shut } = allScenes["storage-full-at-start"] as Scene;
  if (shut === undefined) throw new Error("it is not shut");
  await open("answer", { shut: { ...shut, isFirst: false } });
  expect(screen.getAllByTestId("storage-retry").length).toBe(1);
  expect(screen.getAllByTestId("turn").length).toBeGreaterThan(0);
  expect(input()).toBeTruthy();
});

test("tabs that cannot be drawn leave the conversation", async () => {
  const session = allScenes["answer"]?.session;
  if (!session) throw new Error("no session");
  await open("answer", { session: Object.defineProperty({ ...session }, "commands", { get: () => { throw new Error("broken"); } }) });
  expect(screen.queryByTestId("session-tabs")).toBeNull();
  expect(screen.getAllByTestId("turn").length).toBeGreaterThan(0);
  expect(input()).toBeTruthy();
});

test("a sheet that cannot be drawn is shut, and says so", async () => {
  await open("children", { press: [], answers: { listChildren: { children: [null as never] } } });
  await act(async () => fireEvent.change(input(), { target: { value: "/agents" } }));
  await act(async () => fireEvent.keyDown(input(), { key: "Enter" }));
  await act(async () => {});
  expect(screen.queryByTestId("children-sheet")).toBeNull();
  expect(screen.getByTestId("receipt").dataset["tone"]).toBe("bad");
  expect(screen.getAllByTestId("turn").length).toBeGreaterThan(0);
});

test("who never looks at the history is told before sessions go, once a day", async () => {
  vi.spyOn(globalThis, "matchMedia").mockReturnValue({ matches: false, addEventListener: () => {}, removeEventListener: () => {} } as unknown as MediaQueryList);
  const { app } = allScenes["answer"] as Scene;
  const going = { app: { ...app, retention: { at: Date.now() + 80_000_000, sessions: [{ id: "01C", title: "Old", bytes: 9, updatedAt: 0 }] } } };
  await open("answer", going);
  expect((await screen.findByTestId("retention-note")).textContent).toContain("1 session");
  await act(async () => fireEvent.click(screen.getByTestId("retention-later")));
  expect(screen.queryByTestId("retention-note")).toBeNull();
  cleanup();
  await open("answer", going);
  expect(screen.queryByTestId("retention-note")).toBeNull();
});
