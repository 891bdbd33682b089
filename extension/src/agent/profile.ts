// Agent profiles are data: what a session begins with, and may change for itself afterwards. Pure.
import { z } from "zod";
import type { SessionConfig } from "./events.ts";

const profileSchema = z.object({
  id: z.string().min(1),
  name: z.string().min(1).max(60),
  /** Follows our own words in the system prompt. */
  instructions: z.string().max(20_000).optional(),
  /** Left out: what the session has. */
  model: z.string().optional(),
  thinking: z.enum(["none", "low", "medium", "high"]).optional(),
  mode: z.enum(["plan", "ask", "accept_edits"]).optional(),
  /** Names of tools; left out, all. */
  tools: z.array(z.string()).optional(),
  /** Ids of the hooks that are on; left out, those that are by themselves. */
  hooks: z.array(z.string()).optional(),
  limits: z.object({ steps: z.number().positive().optional(), costUsd: z.number().positive().nullable().optional(), minutes: z.number().positive().nullable().optional() }).optional(),
});

export type Profile = z.infer<typeof profileSchema>;

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

/** Null: it is none. */
export function readProfile(value: unknown): Profile | null {
  const profile = profileSchema.safeParse(value);
  return profile.success ? profile.data : null;
}

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
