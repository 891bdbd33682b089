// A profile as it was stored, sent or made by a model, decoded.
import { z } from "zod";
import type { Profile } from "./profile.ts";

const profileSchema: z.ZodType<Profile> = z.object({
  id: z.string().min(1),
  name: z.string().min(1).max(60),
  instructions: z.string().max(20_000).optional(),
  model: z.string().optional(),
  thinking: z.enum(["none", "low", "medium", "high"]).optional(),
  mode: z.enum(["plan", "ask", "accept_edits"]).optional(),
  tools: z.array(z.string()).optional(),
  hooks: z.array(z.string()).optional(),
  interval: z.number().min(1).max(525_600).optional(),
  limits: z.object({ steps: z.number().positive().optional(), costUsd: z.number().positive().nullable().optional(), minutes: z.number().positive().nullable().optional() }).optional(),
});

/** Null: it is none. */
export function readProfile(value: unknown): Profile | null {
  const profile = profileSchema.safeParse(value);
  return profile.success ? profile.data : null;
}
