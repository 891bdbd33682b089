// @vitest-environment happy-dom
// A tick in a large plan is a matter of one change: the others are not drawn again.
import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import type { Plan } from "../../wire/plan.ts";
import { forgetKept } from "../common/use-kept.ts";
import { asking } from "../gallery/parts.ts";
import { patchPlan } from "../gallery/plans.ts";
import { ApprovalCard, type WaitingCall } from "./approval-card.tsx";

const drawn = vi.hoisted(() => ({ hunks: 0 }));
vi.mock("../diff/hunk.ts", async (original) => {
  const real = await original<typeof import("../diff/hunk.ts")>();
  return { ...real, numberLines: (hunk: Parameters<typeof real.numberLines>[0]) => ((drawn.hunks += 1), real.numberLines(hunk)) };
});

afterEach(() => {
  cleanup();
  forgetKept();
});

const FILES = 60;
const LINES = 20;

function largePlan(): Plan {
  const [file] = patchPlan.preview.kind === "files" ? patchPlan.preview.files : [];
  if (!file) throw new Error("the plan has no file");
  const lines = Array.from({ length: LINES }, (_, place) => `+line ${place}`);
  const files = Array.from({ length: FILES }, (_, place) => ({ ...file, path: `src/file-${place}.js`, hunks: [{ id: `h${place}`, old_start: 1, old_lines: 0, new_start: 1, new_lines: LINES, lines }] }));
  return { ...patchPlan, preview: { kind: "files", files } };
}

test("ticking one change of many draws that one", async () => {
  render(<ApprovalCard calls={[asking(largePlan()) as WaitingCall]} onAnswer={() => Promise.resolve(true)} />);
  await act(async () => fireEvent.click(screen.getByTestId("approval-open-all")));
  expect(drawn.hunks).toBe(FILES);
  await act(async () => fireEvent.click(screen.getAllByTestId("hunk-box")[7] as HTMLElement));
  expect(drawn.hunks).toBe(FILES + 1);
});
