// @vitest-environment happy-dom
// Rows 6, 24, 56: how full the window is, in a picture and in words; what fills it; what it cost, and never a zero for what is not known.
import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { fakeClient, type SentIntent } from "../gallery/fake-client.ts";
import { scenes } from "../gallery/scenes.ts";
import { Panel } from "../panel/panel.tsx";

afterEach(cleanup);

async function open(name: string, refuses = false) {
  const scene = scenes[name];
  if (!scene) throw new Error(`no scene ${name}`);
  const sent: SentIntent[] = [];
  await act(async () => render(<Panel client={fakeClient(scene, sent, refuses)} />));
  return sent;
}
const meter = () => screen.getByTestId("context-meter");
const click = (name: string) => act(async () => fireEvent.click(screen.getByTestId(name)));
const page = (name: string) => act(async () => fireEvent.click(screen.getByTestId(`context-page-${name}`).querySelector("input") as HTMLElement));

test.each([
  ["context", "ok", "42%"],
  ["context-warning", "warning", "78%"],
  ["context-danger", "danger", "91%"],
])("%s is %s and says %s", async (name, level, words) => {
  await open(name);
  expect(meter().dataset["level"]).toBe(level);
  expect(meter().getAttribute("aria-label")).toContain(words);
});

test("a window that is not known has no share", async () => {
  await open("context-unknown");
  expect(meter().getAttribute("aria-label")).not.toContain("%");
  await click("context-meter");
  expect(screen.getByTestId("context-use").textContent).toContain("not known");
});

test("every class stands there in words, and room is made by hand", async () => {
  const sent = await open("context");
  await click("context-meter");
  for (const words of ["Instructions", "Tools", "You", "Agent", "Results of tools", "30.6k"]) expect(screen.getByTestId("context-use").textContent).toContain(words);
  await click("compact");
  expect(sent).toContainEqual({ name: "compact", params: { session: "01A" } });
});

test("the prompt is shown part by part, with origin and weight, and every word when opened", async () => {
  await open("context");
  await click("context-meter");
  await page("prompt");
  expect(screen.getAllByTestId("prompt-part").map((part) => part.textContent)).toEqual(["Instructionsoutrigger1.3k", "Instructionsprofile210", "Toolfs_read640", "Messageuser12", "Messageassistant31", "Messagetoolwhole for 2 more turns4.2k", "Messagetoolshortened40"]);
  await act(async () => fireEvent.click(screen.getAllByTestId("prompt-part")[1]?.querySelector("button") as HTMLElement));
  expect(screen.getAllByTestId("prompt-part")[1]?.textContent).toContain("Report faults, not style.");
});

test("a prompt that cannot be read says so, and can be asked for again", async () => {
  await open("context", true);
  await click("context-meter");
  await page("prompt");
  expect(screen.getByTestId("context-sheet").textContent).toContain("could not be read");
});

test("costs: what is known is summed, what is not known is said", async () => {
  await open("context");
  await click("context-meter");
  await page("cost");
  expect(screen.getByTestId("session-cost").textContent).toBe("$0.0123, and turns whose price is not known");
  cleanup();
  await open("context-warning");
  await click("context-meter");
  await page("cost");
  expect(screen.getByTestId("session-cost").textContent).toContain("not known");
  expect(screen.getByTestId("cost-view").textContent).not.toContain("$0");
});

test("what was written to the cache stands there, and each step of a turn by itself", async () => {
  await open("context");
  await click("context-meter");
  await page("cost");
  expect(screen.getByTestId("cost-view").textContent).toContain("of it kept in its cache4k tokens");
  await click("turn-steps");
  expect(screen.getAllByTestId("step-cost").map((step) => step.textContent)).toEqual(["Step 131k in, 900 out · 18k from cache · 4k to cache$0.0081", "Step 230.2k in, 3.9k out · 22.1k from cache$0.0042"]);
});
