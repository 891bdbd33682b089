// Agent profiles are data: what a session begins with, and may change for itself afterwards. Pure. How one is read back is in
// `read-profile.ts`.
import type { SessionConfig } from "./events.ts";

export interface Profile {
  id: string;
  name: string;
  /** Follows our own words in the system prompt. */
  instructions?: string | undefined;
  /** Left out: what the session has. */
  model?: string | undefined;
  thinking?: "none" | "low" | "medium" | "high" | undefined;
  mode?: "plan" | "ask" | "accept_edits" | undefined;
  /** Names of tools; left out, all. */
  tools?: string[] | undefined;
  /** Ids of the hooks that are on; left out, those that are by themselves. */
  hooks?: string[] | undefined;
  /** Minutes between its heartbeats; left out, it has none. */
  interval?: number | undefined;
  limits?: { steps?: number | undefined; costUsd?: number | null | undefined; minutes?: number | null | undefined } | undefined;
}

export const BUILT_IN_PROFILES: readonly Profile[] = [
  { id: "write", name: "Write" },
  { id: "ask", name: "Ask only", mode: "plan", instructions: "Only answer questions about the workspace. Look things up before you answer, and name the files and lines you rely on." },
  {
    id: "review",
    name: "Review",
    mode: "plan",
    instructions: "Review what was changed, as git tells it. Report faults, not style: what is wrong, where (file and line), why, and how it could be mended. Say so plainly where you found nothing.",
  },
];

/** What the profile says replaces what was there; what it does not say stays, but for what belonged to the profile before. */
export function withProfile(config: SessionConfig, profile: Profile): SessionConfig {
  const { instructions: _instructions, tools: _tools, hooks: _hooks, ...kept } = config;
  const { id, instructions, model, thinking, mode, tools, hooks, limits } = profile;
  return {
    ...kept,
    profile: id,
    ...(instructions === undefined ? {} : { instructions }),
    ...(model === undefined ? {} : { model }),
    ...(thinking === undefined ? {} : { thinking }),
    ...(mode === undefined ? {} : { mode }),
    ...(tools === undefined ? {} : { tools }),
    ...(hooks === undefined ? {} : { hooks }),
    ...(limits === undefined ? {} : { limits: { ...config.limits, ...withoutUndefined(limits) } }),
  };
}

function withoutUndefined<Values extends object>(values: Values): { [Name in keyof Values]: Exclude<Values[Name], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as { [Name in keyof Values]: Exclude<Values[Name], undefined> };
}
