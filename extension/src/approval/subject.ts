// What a rule is compared with: one call, as far as it is known. The host's plan says more than the arguments do.
import { canonical } from "../lib/canonical.ts";
import type { Plan } from "../wire/plan.ts";

export interface Subject {
  readonly tool: string;
  /** Null: the host's default, and nobody knows here which one that is. */
  readonly workspace: string | null;
  /** Canonical where there is a plan, as the model wrote them where there is none. */
  readonly paths: readonly string[];
  readonly command: string | null;
  readonly args: readonly string[];
  /** The arguments as canonical JSON. */
  readonly canonical: string;
  readonly origin: "session" | "schedule" | "subagent";
}

export interface SubjectCall {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>> | null;
  readonly workspace: string | null;
  readonly origin: Subject["origin"];
}

export function subjectOf(call: SubjectCall, plan: Plan | null): Subject {
  const args = call.args ?? {};
  return {
    tool: call.tool,
    workspace: (plan === null || plan.workspace === "" ? null : plan.workspace) ?? call.workspace,
    paths: [...new Set([...plannedPaths(plan), ...(plan === null ? writtenPaths(args) : [])])],
    command: plan?.preview.kind === "command" ? plan.preview.command : typeof args["command"] === "string" ? args["command"] : null,
    args: plan?.preview.kind === "command" ? plan.preview.args : strings(args["args"]),
    canonical: canonical(args),
    origin: call.origin,
  };
}

function plannedPaths(plan: Plan | null): readonly string[] {
  switch (plan?.preview.kind) {
    case "files":
    case "commit":
      return plan.preview.files.map((file) => file.path);
    case "stage":
      return plan.preview.paths;
    default:
      return [];
  }
}

function writtenPaths(args: Readonly<Record<string, unknown>>): readonly string[] {
  return [...strings(args["path"]), ...strings(args["paths"]), ...strings(args["from"]), ...strings(args["to"])].map(normalise);
}

/** `./a//b` and `a\b` are written in more than one way, and are one path. */
function normalise(path: string): string {
  const parts: string[] = [];
  for (const part of path.split(/[/\\]+/)) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return parts.join("/");
}

function strings(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}
