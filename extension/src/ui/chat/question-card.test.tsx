// @vitest-environment happy-dom
// Row 31: a question is answered by hand or keyboard, not before it is whole, and may be left unanswered.
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test } from "vitest";
import type { QuestionAnswer } from "../../agent/events.ts";
import type { ToolCallView } from "../../agent/session-view.ts";
import { forgetKept } from "../common/use-kept.ts";
import { QuestionCard } from "./question-card.tsx";

afterEach(() => {
  cleanup();
  forgetKept();
});

const asked: NonNullable<ToolCallView["question"]> = {
  status: "active",
  answer: null,
  at: 0,
  question: {
    title: "Which\u202e database?",
    link: "https://example.org/docs",
    fields: [
      { id: "db", label: "Database", kind: "choice", required: true, options: [{ value: "pg", label: "Postgres" }, { value: "lite", label: "SQLite" }] },
      { id: "with", label: "With", kind: "choices", required: false, options: [{ value: "a", label: "Alpha" }, { value: "b", label: "Beta" }] },
      { id: "sure", label: "Sure?", kind: "yes_no", required: true, options: [] },
      { id: "note", label: "Note\u200b", kind: "text", required: false, options: [] },
    ],
  },
};

function show(taken = true) {
  const answers: (QuestionAnswer | "skipped")[] = [];
  render(<QuestionCard call="q" asked={asked} onAnswer={async (answer) => (answers.push(answer), taken)} onSkip={async () => (answers.push("skipped"), taken)} />);
  return answers;
}

test("it can be sent when what is required is there, and sends what was chosen", async () => {
  const answers = show();
  const person = userEvent.setup();
  const send = screen.getByTestId<HTMLButtonElement>("question-send");
  expect(send.disabled).toBe(true);
  await person.click(screen.getByLabelText("SQLite"));
  await person.click(screen.getByLabelText("Alpha"));
  await person.click(screen.getByLabelText("Beta"));
  await person.click(screen.getByLabelText("Alpha"));
  expect(send.disabled).toBe(true);
  await person.click(screen.getByLabelText("No"));
  await person.type(screen.getByLabelText("NoteU+200B (optional)"), "soon{Enter}or later");
  expect(answers).toEqual([]);
  await person.keyboard("{Control>}{Enter}{/Control}");
  expect(answers).toEqual([{ db: "lite", with: ["b"], sure: false, note: "soon\nor later" }]);
  expect(send.disabled).toBe(true);
});

test("it may be left unanswered; an answer that was not taken can be sent again", async () => {
  const answers = show(false);
  fireEvent.click(screen.getByTestId("question-skip"));
  await Promise.resolve();
  expect(answers).toEqual(["skipped"]);
  expect(screen.getByTestId<HTMLButtonElement>("question-skip").disabled).toBe(true);
});

test("what was filled in is still there after a look at another screen", async () => {
  show();
  const person = userEvent.setup();
  await person.click(screen.getByLabelText("SQLite"));
  await person.type(screen.getByLabelText(/^Note/), "soon");
  cleanup();
  show();
  expect(screen.getByLabelText<HTMLInputElement>("SQLite").checked).toBe(true);
  expect(screen.getByLabelText<HTMLTextAreaElement>(/^Note/).value).toBe("soon");
});

test("it takes the focus by F6 and from the bar, and Escape leaves it", () => {
  show();
  const form = screen.getByTestId("question-card");
  form.focus();
  expect(document.activeElement).toBe(form);
  expect(form.dataset["region"]).toBeDefined();
  expect(fireEvent.keyDown(screen.getByLabelText(/^Note/), { key: "Escape" })).toBe(false);
});

test("nothing hides in it, and its link says where it leads", () => {
  show();
  expect(screen.getByTestId("question-card").textContent).toContain("U+202E");
  const link = screen.getByRole("link");
  expect(link.getAttribute("href")).toBe("https://example.org/docs");
  expect(link.textContent).toContain("https://example.org/docs");
  expect(link.getAttribute("rel")).toContain("noopener");
});
