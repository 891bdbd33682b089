// Asks the person something that only they can know: options, several of them, free text, a small form.
import { z } from "zod";
import type { Question, QuestionAnswer, QuestionField } from "../events.ts";
import type { CallLog } from "../log.ts";
import { failure, loopTool } from "./loop-tool.ts";

const fieldSchema = z.object({
  id: z.string().regex(/^[a-z][a-z0-9_]{0,31}$/).describe("A short name for the answer"),
  label: z.string().min(1).max(500),
  kind: z.enum(["choice", "choices", "text", "yes_no"]).default("text"),
  options: z.array(z.object({ value: z.string().min(1).max(200), label: z.string().max(300).optional() })).max(20).default([]).describe("Of choice and choices"),
  required: z.boolean().default(true),
});

export const askQuestion = loopTool({
  name: "ask_question",
  description: "Asks the user and waits for the answer. Only for what you cannot find out with your tools and what would change what you do.",
  params: z.object({
    title: z.string().min(1).max(300),
    fields: z.array(fieldSchema).min(1).max(8),
    link: z.string().max(2_000).optional().describe("An http(s) address the question is about"),
  }),
  readOnly: true,
  // Nobody is there to answer.
  notFor: ["subagent", "schedule"],
  run: ({ title, fields, link }, { call }) => {
    if (link !== undefined && !isWebAddress(link)) return failure("invalid_args", "`link` must be an http or https address", "Leave it out, or correct it.");
    const empty = fields.find((field) => (field.kind === "choice" || field.kind === "choices") && field.options.length === 0);
    if (empty !== undefined) return failure("invalid_args", `\`${empty.id}\` has nothing to choose from`, "Give it options, or make it a text.");
    if (new Set(fields.map(({ id }) => id)).size !== fields.length) return failure("invalid_args", "two fields have the same id", "Give each its own.");
    const question: Question = {
      title,
      link: link ?? null,
      fields: fields.map((field): QuestionField => ({ ...field, options: field.options.map(({ value, label }) => ({ value, label: label ?? value })) })),
    };
    return { kind: "waits", events: [{ type: "QuestionAsked", call: call.id, question }] };
  },
});

/** Null, or what is wrong with this answer. */
export function faultOfAnswer({ fields }: Question, answer: QuestionAnswer): string | null {
  const unknown = Object.keys(answer).find((id) => !fields.some((field) => field.id === id));
  if (unknown !== undefined) return `there is no field \`${unknown}\``;
  for (const field of fields) {
    const value = Object.hasOwn(answer, field.id) ? answer[field.id] : undefined;
    const isMissing = value === undefined || value === "" || (Array.isArray(value) && value.length === 0);
    if (isMissing) {
      if (field.required) return `\`${field.label}\` is not answered`;
      continue;
    }
    if (!fits(field, value)) return `the answer to \`${field.label}\` is none of those that were offered`;
  }
  return null;
}

/** What the model reads. */
export function answerText({ question, answer }: NonNullable<CallLog["question"]>): string {
  return question.fields.map((field) => `${field.id}: ${JSON.stringify(answer?.[field.id] ?? null)}`).join("\n");
}

function fits(field: QuestionField, value: string | boolean | readonly string[]): boolean {
  const isOffered = (each: unknown) => field.options.some((option) => option.value === each);
  switch (field.kind) {
    case "yes_no":
      return typeof value === "boolean";
    case "text":
      return typeof value === "string";
    case "choice":
      return isOffered(value);
    case "choices":
      return Array.isArray(value) && value.every(isOffered);
  }
}

function isWebAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}
