// @vitest-environment happy-dom
// Row 55, 37: what is typed after a slash finds its command; each is done by keys alone and by mouse alone.
import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { fakeClient, type Scene, type SentIntent } from "../gallery/fake-client.ts";
import { scenes } from "../gallery/scenes.ts";
import { Panel } from "../panel/panel.tsx";
import { paletteEntries, type PaletteCommand } from "./palette-entries.ts";

afterEach(() => {
  cleanup();
  location.hash = "";
});

const done: string[] = [];
const command = (name: string, more: Partial<PaletteCommand> = {}): PaletteCommand => ({ name, title: name.toUpperCase(), hint: "", run: (rest) => done.push(`${name} ${rest}`), ...more });
const commands = [command("btw", { takesText: true }), command("plan"), command("profile", { choices: [{ value: "review", label: "Prüfen" }, { value: "ask", label: "Ask only" }] }), command("tree", { title: "Branches" })];

test.each([
  ["hello /plan", null],
  ["", null],
  ["/", ["btw", "plan", "profile", "tree"]],
  ["/p", ["plan", "profile"]],
  ["/bran", ["tree"]],
  ["/nothing", []],
  ["/plan now", ["plan"]],
  ["/profile ", ["review", "ask"]],
  ["/profile prüf", ["review"]],
  ["/btw what is it?\nand why", ["btw"]],
  ["/usr/bin is a path", null],
])("%j finds %j", (draft, names) => {
  expect(paletteEntries(draft, commands)?.map(({ key }) => key) ?? null).toEqual(names);
});

test("what takes words gets them, what has choices goes on to them", () => {
  expect(paletteEntries("/bt", commands)?.[0]?.continues).toBe("/btw ");
  expect(paletteEntries("/profile", commands)?.[0]?.continues).toBe("/profile ");
  paletteEntries("/btw  why? ", commands)?.[0]?.run();
  paletteEntries("/profile rev", commands)?.[0]?.run();
  expect(done).toEqual(["btw why?", "profile review"]);
});

async function open(name: string) {
  const scene = scenes[name];
  if (!scene) throw new Error(`no scene ${name}`);
  const sent: SentIntent[] = [];
  await act(async () => render(<Panel client={fakeClient(scene, sent)} />));
  return sent;
}
const input = () => screen.getByTestId<HTMLTextAreaElement>("composer-input");
const write = (value: string) => act(async () => fireEvent.change(input(), { target: { value } }));
const press = (key: string) => act(async () => fireEvent.keyDown(input(), { key }));

test("words behind a command that takes none stay in the box; behind /new they go along", async () => {
  const sent = await open("two-turns");
  await write("/plan rework the parser");
  await press("Enter");
  expect(sent).toEqual([{ name: "selectMode", params: { session: "01A", mode: "plan" } }]);
  expect(input().value).toBe("rework the parser");
  await write("/new look at the docs");
  await press("Enter");
  expect(input().value).toBe("look at the docs");
  await write("");
});

test("by keys: the arrows point, Enter does, and nothing is sent as a message", async () => {
  const sent = await open("two-turns");
  await write("/");
  const names = screen.getAllByTestId("palette-option").map((option) => option.dataset["name"]);
  expect(names).toEqual(["btw", "plan", "ask", "undo", "retry", "tree", "agents", "compact", "context", "prompt", "cost", "model", "profile", "thinking", "schedule", "fork", "new"]);
  await press("ArrowDown");
  expect(input().getAttribute("aria-activedescendant")).toBe(screen.getAllByTestId("palette-option")[1]?.id);
  await press("Enter");
  expect(sent).toEqual([{ name: "selectMode", params: { session: "01A", mode: "plan" } }]);
  expect(input().value).toBe("");
  await write("/mod");
  await press("Tab");
  expect(input().value).toBe("/model ");
  await write("/model qwen");
  await press("Enter");
  expect(sent.at(-1)).toEqual({ name: "selectModel", params: { session: "01A", model: "m1" } });
});

test("by mouse: its button opens it, a click does", async () => {
  const sent = await open("two-turns");
  await act(async () => fireEvent.click(screen.getByTestId("palette-open")));
  expect(document.activeElement).toBe(input());
  await act(async () => fireEvent.click(screen.getAllByTestId("palette-option").find((option) => option.dataset["name"] === "compact") as HTMLElement));
  expect(sent).toEqual([{ name: "compact", params: { session: "01A" } }]);
});

test("Escape shuts it and stops nothing; what is written stays", async () => {
  const sent = await open("streaming");
  await write("/pl");
  await press("Escape");
  expect(screen.queryByTestId("palette")).toBeNull();
  expect(input().value).toBe("/pl");
  expect(sent).toEqual([]);
});

test("shut once, it opens again: by its button, and when the slash is written anew", async () => {
  await open("two-turns");
  await write("/");
  await press("Escape");
  expect(screen.queryByTestId("palette")).toBeNull();
  await act(async () => fireEvent.click(screen.getByTestId("palette-open")));
  expect(screen.getByTestId("palette")).toBeTruthy();
  await press("Escape");
  await write("");
  await write("/");
  expect(screen.getByTestId("palette")).toBeTruthy();
});

test("who comes back to a slash finds it without the palette, so that Tab goes on from there; writing on opens it", async () => {
  const draft = { text: "/pl", attachments: [] };
  const sent: SentIntent[] = [];
  await act(async () => render(<Panel client={fakeClient({ ...(scenes["two-turns"] as Scene), draft }, sent)} />));
  expect(input().value).toBe("/pl");
  expect(screen.queryByTestId("palette")).toBeNull();
  await press("Enter");
  expect(screen.getByTestId("palette")).toBeTruthy();
  expect(sent.filter(({ name }) => name === "sendMessage")).toEqual([]);
  await press("Escape");
  expect(screen.queryByTestId("palette")).toBeNull();
  await write("/pla");
  expect(screen.getByTestId("palette")).toBeTruthy();
});

test("before anything was said there is nothing to undo, and while a turn runs neither", async () => {
  for (const name of ["first-run", "streaming"]) {
    await open(name);
    await write("/");
    const names = screen.getAllByTestId("palette-option").map((option) => option.dataset["name"]);
    expect(names).not.toContain("undo");
    expect(names).toContain("model");
    await write("");
    cleanup();
  }
});

test("on the side a model that does not answer is waited for in sight, and what failed is tried again from there", async () => {
  const ask = async (name: string, button: string) => {
    cleanup();
    const sent = await open(name);
    await write("/btw What?");
    await press("Enter");
    await act(async () => fireEvent.click(screen.getByTestId(button)));
    return sent.at(-1);
  };
  expect(await ask("side-waits", "retry-now")).toEqual({ name: "resume", params: { session: "child" } });
  expect(await ask("side-failed", "retry")).toEqual({ name: "resume", params: { session: "child" } });
});

test("what was written on the side is there again when the sheet is", async () => {
  await open("side");
  await write("/btw What?");
  await press("Enter");
  fireEvent.change(screen.getByTestId("side-input"), { target: { value: "And why?" } });
  await act(async () => fireEvent.keyDown(screen.getByTestId("side-input"), { key: "Escape" }));
  expect(screen.queryByTestId("side-sheet")).toBeNull();
  await write("/btw ");
  await press("Enter");
  expect(screen.getByTestId<HTMLTextAreaElement>("side-input").value).toBe("And why?");
});

test("a question on the side: asked, answered, put into the conversation through the queue", async () => {
  const sent = await open("side");
  await write("/btw What does sum return for no numbers?");
  await press("Enter");
  expect(sent[0]).toEqual({ name: "startSide", params: { session: "01A", text: "What does sum return for no numbers?" } });
  expect(screen.getByTestId("side-talk").textContent).toContain("the loop never runs");
  await act(async () => fireEvent.click(screen.getByTestId("side-insert")));
  expect(sent.at(-1)).toMatchObject({ name: "queueAdd", params: { session: "01A", kind: "queue", text: expect.stringContaining("the loop never runs") as string } });
});
