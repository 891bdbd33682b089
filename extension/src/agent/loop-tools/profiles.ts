// Agents and their profiles: change one, or let another one go on. Both are shown as what would change, and always ask.
//
// A rule or a lease cannot let them run by themselves: they decide what may run by itself.
import { z } from "zod";
import type { Preview } from "../../wire/plan.ts";
import { canonical } from "../../lib/canonical.ts";
import { lineHunks } from "../../lib/line-hunks.ts";
import { HOOKS } from "../hooks/catalog.ts";
import { withProfile, type Profile } from "../profile.ts";
import { readProfile } from "../read-profile.ts";
import { done, failure, loopTool, type LoopToolRun } from "./loop-tool.ts";

const editParams = z.object({
  id: z.string().min(1).max(60).describe("The profile; a new name makes a new one"),
  name: z.string().min(1).max(60).optional(),
  instructions: z.string().max(20_000).optional(),
  mode: z.enum(["plan", "ask", "accept_edits"]).optional(),
  thinking: z.enum(["none", "low", "medium", "high"]).optional(),
  tools: z.array(z.string()).nullable().optional().describe("Names of the tools it may use; null: all"),
  hooks: z.array(z.string()).optional().describe(`Which are on: ${HOOKS.map(({ id }) => id).join(", ")}`),
});

export const editProfile = loopTool({
  name: "edit_profile",
  description: "Changes a profile (instructions, mode, thinking level, tools, hooks), or makes one. The user sees the difference and decides. What is left out stays.",
  params: editParams,
  alwaysAsks: true,
  notFor: ["subagent", "side", "schedule"],
  preview: async (params, run) => {
    const { before, after } = await changed(params, run);
    const hunks = lineHunks(words(before), words(after));
    const count = (mark: string) => hunks.flatMap(({ lines }) => lines).filter((line) => line.startsWith(mark)).length;
    const file = { path: `profile ${after.name}`, op: before === null ? "create" : "edit", executable: false, undoable: false, added: count("+"), removed: count("-"), hunks };
    return { kind: "files", files: [file] } satisfies Preview;
  },
  run: async (params, run) => {
    const { before, after } = await changed(params, run);
    // What was shown is what is saved: one that was changed meanwhile is looked at again.
    if (run.call.asked !== null && !run.call.asked.plan.digest.endsWith(digestOf(before))) {
      return failure("stale", `the profile ${after.name} was changed after you were asked about this`, "Call edit_profile again.");
    }
    if (readProfile(after) === null) return failure("invalid_args", "this is no profile", "It needs a name, and tools and hooks there are.");
    await run.loop.world.profiles.save(after);
    return done(`The profile ${after.name} was ${before === null ? "made" : "changed"}. Sessions that began with it keep what they have.`);
  },
  digest: async (params, run) => digestOf((await changed(params, run)).before),
});

export const handOver = loopTool({
  name: "hand_over",
  description: "Lets another profile go on with this turn and what follows, after the user agreed. The id of a profile: write, ask, review, or one of the user's.",
  params: z.object({ profile: z.string().min(1), why: z.string().min(1).max(500) }),
  alwaysAsks: true,
  onDemand: true,
  notFor: ["subagent", "side", "schedule"],
  run: async ({ profile: id }, { loop, turn }) => {
    const profile = (await loop.world.profiles.list()).find((each) => each.id === id);
    if (profile === undefined) return failure("not_found", `there is no profile \`${id}\``, "Look with list_profiles.");
    const config = withProfile(turn.config, profile);
    await loop.world.schedules.beat(loop.log.session, profile, config);
    return { kind: "result", text: `The profile ${profile.name} goes on from here.`, events: [{ type: "HandedOver", turn: turn.id, config }] };
  },
});

export const listProfiles = loopTool({
  name: "list_profiles",
  description: "Lists the profiles of agents: what each is told, its mode, tools and hooks.",
  params: z.object({}),
  readOnly: true,
  notFor: ["subagent", "side", "schedule"],
  onDemand: true,
  run: async (_params, { loop }) => done((await loop.world.profiles.list()).map(words).join("\n\n")),
});

async function changed({ tools, ...params }: z.output<typeof editParams>, { loop }: LoopToolRun): Promise<{ readonly before: Profile | null; readonly after: Profile }> {
  const before = (await loop.world.profiles.list()).find(({ id }) => id === params.id) ?? null;
  const { tools: kept, ...rest } = before ?? { name: params.id };
  const named = tools === undefined ? kept : (tools ?? undefined);
  const given = Object.fromEntries(Object.entries(params).filter(([, value]) => value !== undefined));
  return { before, after: { ...rest, ...given, id: params.id, name: params.name ?? rest.name, ...(named === undefined ? {} : { tools: named }) } };
}

/** As a person reads it, a line for each thing. */
function words(profile: Profile | null): string {
  if (profile === null) return "";
  const { id, name, instructions, model, thinking, mode, tools, hooks, interval } = profile;
  return [
    `id: ${id}`,
    `name: ${name}`,
    ...(mode === undefined ? [] : [`mode: ${mode}`]),
    ...(model === undefined ? [] : [`model: ${model}`]),
    ...(thinking === undefined ? [] : [`thinking: ${thinking}`]),
    `tools: ${tools === undefined ? "all" : tools.join(", ")}`,
    ...(hooks === undefined ? [] : [`hooks: ${hooks.join(", ")}`]),
    ...(interval === undefined ? [] : [`heartbeat: every ${interval} minutes`]),
    ...(instructions === undefined ? [] : ["instructions:", instructions]),
  ].join("\n");
}

function digestOf(profile: Profile | null): string {
  return canonical(profile);
}
