// What the demo model reads out of a prompt: the last task and what its tools really returned.
import { parseArgs } from "../../lib/parse-args.ts";
import type { PromptMessage } from "../model.ts";

export interface Done {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly text: string;
  readonly isError: boolean;
}

export interface Task {
  readonly text: string;
  readonly done: readonly Done[];
}

export function readTask(messages: readonly PromptMessage[]): Task {
  const start = messages.findLastIndex((message) => message.role === "user");
  const task = messages[start];
  const args = new Map<string, Readonly<Record<string, unknown>>>();
  const done: Done[] = [];
  for (const message of messages.slice(start + 1)) {
    if (message.role === "assistant") for (const call of message.calls) args.set(call.call, parseArgs(call.argsText) ?? {});
    if (message.role === "tool") done.push({ tool: message.tool, args: args.get(message.call) ?? {}, text: message.text, isError: message.isError });
  }
  return { text: task?.role === "user" ? task.text : "", done };
}

export function last(task: Task, tool: string): Done | undefined {
  return task.done.findLast((each) => each.tool === tool);
}

/** Paths stand one a line, before whatever else is said. */
export function pathsIn(text: string): readonly string[] {
  return text.split("\n").filter((line) => /^[^\s`:]+\.[A-Za-z]+$/.test(line));
}

/** The file's text again, out of numbered lines (`  12|code`); the trailer has no number. */
export function fileText(text: string): string {
  const lines = text.split("\n").flatMap((line) => {
    const numbered = /^\s*\d+\|(.*)$/s.exec(line);
    return numbered === null ? [] : [numbered[1] ?? ""];
  });
  return lines.length === 0 ? text : `${lines.join("\n")}\n`;
}

export function wasDenied(done: Done): boolean {
  return done.isError && done.text.includes("approval_denied");
}

/** The person's note in a denial, as the host tells it. */
export function firstLine(text: string): string {
  return text.trim().split("\n", 1)[0] ?? "";
}

/** What a command's text says about its end. Null: it did not run to an end. */
export function exitCode(done: Done): number | null {
  const code = /exited with code (\d+)/.exec(done.text)?.[1] ?? /exit(?: code)?:? (\d+)/i.exec(done.text)?.[1];
  if (code !== undefined) return Number(code);
  const failures = /^\W*fail (\d+)$/m.exec(done.text)?.[1];
  return failures === undefined ? null : Number(failures) === 0 ? 0 : 1;
}
