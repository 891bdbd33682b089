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
import { toldModel } from "../told-model.ts";
import type { NamedModel } from "../world.ts";
import { done, failure, loopTool, type LoopToolRun } from "./loop-tool.ts";

const editParams = z.object({
  id: z.string().min(1).max(60).describe("The profile; a new name makes a new one"),
  name: z.string().min(1).max(60).optional(),
  instructions: z.string().max(20_000).optional(),
  mode: z.enum(["plan", "ask", "accept_edits"]).optional(),
  model: z.string().min(1).nullable().optional().describe("Name of the model; null: what the session has"),
  thinking: z.enum(["none", "low", "medium", "high"]).optional(),
  max_steps: z.number().int().positive().nullable().optional().describe("Of a turn. null: what the session has, for all three"),
  max_cost_usd: z.number().positive().nullable().optional(),
  max_minutes: z.number().positive().nullable().optional(),
  tools: z.array(z.string()).nullable().optional().describe("Names of the tools it may use; null: all"),
  hooks: z.array(z.string()).optional().describe(`Which are on: ${HOOKS.map(({ id }) => id).join(", ")}`),
});

export const editProfile = loopTool({
  name: "edit_profile",
  description: "Changes a profile (instructions, mode, model, thinking level, caps, tools, hooks), or makes one. The user sees the difference and decides. What is left out stays.",
  params: editParams,
  alwaysAsks: true,
  notFor: ["subagent", "side", "schedule"],
  refusal: async ({ model }, run) => {
    if (model == null) return null;
    const models = await run.loop.world.models();
    return modelNamed(models, model) === null ? failure("not_found", `there is no model \`${model}\``, `There are: ${models.map(({ label }) => label).join(", ")}.`) : null;
  },
  preview: async (params, run) => {
    const { before, after, models } = await changed(params, run);
    const hunks = lineHunks(words(before, models), words(after, models));
    const count = (mark: string) => hunks.flatMap(({ lines }) => lines).filter((line) => line.startsWith(mark)).length;
    const file = { path: `profile ${after.name}`, op: before === null ? "create" : "edit", executable: false, undoable: false, added: count("+"), removed: count("-"), hunks };
    return { kind: "files", files: [file] } satisfies Preview;
  },
  run: async (params, run) => {
    const { before, after } = await changed(params, run);
    // What was shown is what is saved: one that was changed meanwhile is looked at again.
    if (run.call.asked !== null && !run.call.asked.plan.digest.endsWith(digestOf({ before, after }))) {
      return failure("stale", `the profile ${after.name} was changed after you were asked about this`, "Call edit_profile again.");
    }
    if (readProfile(after) === null) return failure("invalid_args", "this is no profile", "It needs a name, and tools and hooks there are.");
    await run.loop.world.profiles.save(after);
    return done(`The profile ${after.name} was ${before === null ? "made" : "changed"}. Sessions that began with it keep what they have.`);
  },
  digest: async (params, run) => digestOf(await changed(params, run)),
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
    return { kind: "result", text: `The profile ${profile.name} goes on from here.`, events: [{ type: "HandedOver", turn: turn.id, config, ...(await toldModel(loop.world, config.model)) }] };
  },
});

export const listProfiles = loopTool({
  name: "list_profiles",
  description: "Lists the profiles of agents: what each is told, its mode, model, caps, tools and hooks; and the models there are.",
  params: z.object({}),
  readOnly: true,
  notFor: ["subagent", "side", "schedule"],
  onDemand: true,
  run: async (_params, { loop }) => {
    const [profiles, models] = await Promise.all([loop.world.profiles.list(), loop.world.models()]);
    return done([...profiles.map((profile) => words(profile, models)), `Models: ${models.map(({ label }) => label).join(", ")}`].join("\n\n"));
  },
});

interface Change {
  readonly before: Profile | null;
  readonly after: Profile;
}

async function changed(params: z.output<typeof editParams>, { loop }: LoopToolRun): Promise<Change & { readonly models: readonly NamedModel[] }> {
  const [profiles, models] = await Promise.all([loop.world.profiles.list(), loop.world.models()]);
  const before = profiles.find(({ id }) => id === params.id) ?? null;
  const { name, instructions, mode, thinking, tools, hooks, model } = params;
  const kept: Profile = before ?? { id: params.id, name: params.id };
  const after: Profile = {
    ...kept,
    ...given({ instructions, mode, thinking, hooks }),
    name: name ?? kept.name,
    ...(tools === undefined ? {} : { tools: tools ?? undefined }),
    ...(model === undefined ? {} : { model: model === null ? undefined : (modelNamed(models, model) ?? model) }),
    ...changedCaps(kept.limits, params),
  };
  return { before, after: given(after) as Profile, models };
}

/** What is null is the session's again; a profile that says nothing of caps has none of its own. */
function changedCaps(before: Profile["limits"], { max_steps: steps, max_cost_usd: costUsd, max_minutes: minutes }: z.output<typeof editParams>): Pick<Profile, "limits"> {
  const asked = given({ steps, costUsd, minutes });
  if (Object.keys(asked).length === 0) return { limits: before };
  const limits = Object.fromEntries(Object.entries({ ...before, ...asked }).filter(([name, value]) => value !== undefined && (value !== null || !Object.hasOwn(asked, name))));
  return { limits: Object.keys(limits).length === 0 ? undefined : limits };
}

function given<Values extends object>(values: Values): Partial<Values> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<Values>;
}

/** By the name a person gave it, as far as that is one's alone, or by its id. */
function modelNamed(models: readonly NamedModel[], name: string): string | null {
  const byLabel = models.filter(({ label }) => label === name);
  return models.find(({ id }) => id === name)?.id ?? (byLabel.length === 1 ? (byLabel[0]?.id ?? null) : null);
}

/** As a person reads it, a line for each thing. */
function words(profile: Profile | null, models: readonly NamedModel[]): string {
  if (profile === null) return "";
  const { id, name, instructions, model, thinking, mode, tools, hooks, interval, limits = {} } = profile;
  const { steps, costUsd, minutes } = limits;
  return [
    `id: ${id}`,
    `name: ${name}`,
    ...(mode === undefined ? [] : [`mode: ${mode}`]),
    ...(model === undefined ? [] : [`model: ${labelOf(models, model)}`]),
    ...(thinking === undefined ? [] : [`thinking: ${thinking}`]),
    ...(steps === undefined ? [] : [`steps of a turn: at most ${steps}`]),
    ...(costUsd === undefined ? [] : [`cost of a turn: ${costUsd === null ? "no cap" : `at most $${costUsd}`}`]),
    ...(minutes === undefined ? [] : [`time of a turn: ${minutes === null ? "no cap" : `at most ${minutes} minutes`}`]),
    `tools: ${tools === undefined ? "all" : tools.join(", ")}`,
    ...(hooks === undefined ? [] : [`hooks: ${hooks.join(", ")}`]),
    ...(interval === undefined ? [] : [`heartbeat: every ${interval} minutes`]),
    ...(instructions === undefined ? [] : ["instructions:", instructions]),
  ].join("\n");
}

/** Two may have one name: what stands on a card must be one of them. */
function labelOf(models: readonly NamedModel[], id: string): string {
  const label = models.find((model) => model.id === id)?.label;
  return label === undefined || models.filter((model) => model.label === label).length === 1 ? (label ?? id) : `${label} (${id})`;
}

/** The model goes with it: its name may be another one's by the time it is saved. */
function digestOf({ before, after }: Change): string {
  return canonical([before, after.model ?? null]);
}
