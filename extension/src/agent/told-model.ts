// What the log keeps of the model that a turn, or the rest of one, is asked of: its name, and how much it holds.
import type { ModelLimits } from "./events.ts";
import type { EngineWorld } from "./world.ts";

export async function toldModel(world: Pick<EngineWorld, "modelLabel" | "modelFacts" | "tokenFactor">, model: string): Promise<{ readonly modelLabel: string; readonly limits: ModelLimits }> {
  const [modelLabel, { window, output }, tokenFactor] = await Promise.all([world.modelLabel(model), world.modelFacts(model), world.tokenFactor(model)]);
  return { modelLabel, limits: { window, output, ...(tokenFactor === null ? {} : { tokenFactor }) } };
}
