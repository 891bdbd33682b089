/** A profile as fields of a form, and back. What is left empty is left to the session. */
import type { Profile } from "../../agent/profile.ts";

export interface ProfileFields {
  readonly name: string;
  readonly instructions: string;
  readonly model: string;
  readonly mode: string;
  readonly thinking: string;
  /** Names with commas between them. */
  readonly tools: string;
  readonly steps: number | null;
  readonly minutes: number | null;
  readonly costUsd: number | null;
  /** Ids of those that are on; null: those that are by themselves. */
  readonly hooks: readonly string[] | null;
  /** Minutes. */
  readonly interval: number | null;
}

export function fieldsOf(profile: Profile | null): ProfileFields {
  return {
    name: profile?.name ?? "",
    instructions: profile?.instructions ?? "",
    model: profile?.model ?? "",
    mode: profile?.mode ?? "",
    thinking: profile?.thinking ?? "",
    tools: profile?.tools?.join(", ") ?? "",
    hooks: profile?.hooks ?? null,
    steps: profile?.limits?.steps ?? null,
    minutes: profile?.limits?.minutes ?? null,
    costUsd: profile?.limits?.costUsd ?? null,
    interval: profile?.interval ?? null,
  };
}

export function toProfile(id: string, fields: ProfileFields): Profile {
  const tools = fields.tools.split(/[\s,]+/u).filter((tool) => tool !== "");
  const { steps, minutes, costUsd } = fields;
  const limits = { ...(steps === null ? {} : { steps }), ...(minutes === null ? {} : { minutes }), ...(costUsd === null ? {} : { costUsd }) };
  return {
    id,
    name: fields.name.trim(),
    ...(fields.instructions.trim() === "" ? {} : { instructions: fields.instructions.trim() }),
    ...(fields.model === "" ? {} : { model: fields.model }),
    ...(fields.mode === "" ? {} : { mode: fields.mode as NonNullable<Profile["mode"]> }),
    ...(fields.thinking === "" ? {} : { thinking: fields.thinking as NonNullable<Profile["thinking"]> }),
    ...(tools.length === 0 ? {} : { tools }),
    ...(fields.hooks === null ? {} : { hooks: [...fields.hooks] }),
    ...(fields.interval === null ? {} : { interval: fields.interval }),
    ...(Object.keys(limits).length === 0 ? {} : { limits }),
  };
}
