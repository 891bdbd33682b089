// Says so when the cap on steps, time or cost comes near, so that the work ends in order and not in the middle.
import { nearestCap } from "../caps.ts";
import type { Hook } from "./hook.ts";

const WORDS = { step_cap: "steps", time_cap: "time", cost_cap: "budget" } as const;

export const wrapUp: Hook = {
  id: "wrap_up",
  summary: "Tells the model when the turn's cap on steps, time or cost comes near.",
  isDefault: true,
  status: (turn) => {
    const near = nearestCap(turn);
    if (near === null || !(near.reason in WORDS)) return null;
    const what = WORDS[near.reason as keyof typeof WORDS];
    return { key: `${near.reason}:${turn.resumedAt}`, text: `Most of this turn's ${what} is used up. Bring the work to a safe end, and say what remains to be done.` };
  },
};
