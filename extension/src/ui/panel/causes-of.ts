/**
 * What has to come true for a refusal to be over: the same is done after all, or what was missing is there. A receipt that says so leaves
 * then, since what it says is no longer true.
 */
import type { IntentName } from "../../app/bus.ts";
import { IntentRefused } from "../../app/panel-client.ts";

/** `host`: it is connected again. `disk`: there is room again. `idle`: no turn is running in the session any more. */
export type Cause = "host" | "disk" | "idle" | `act ${string}`;

const NEEDED: Readonly<Record<string, Cause>> = { connection_lost: "host", disk_full: "disk", storage: "disk", store_full: "disk", store_shut: "disk", busy: "idle" };

/** What each of these says is of the one file alone: that another one was taken does not change it. */
const OF_ONE: ReadonlySet<IntentName> = new Set<IntentName>(["addAttachment", "importSession"]);

/** Done, these have written something down. */
const WRITTEN: ReadonlySet<IntentName> = new Set<IntentName>(["startSession", "sendMessage", "queueAdd", "answerApproval", "saveSettings", "saveModel", "saveProfile"]);

/** Why this was refused. Of what the host is needed for, it is the link to it that failed: such a fault has a number. */
export function causesOf(name: IntentName, params: object, error: unknown): readonly Cause[] {
  const act = actOf(name, params);
  const fault = error instanceof IntentRefused ? error.fault : null;
  const needed = fault === null ? undefined : "reason" in fault ? "host" : NEEDED[fault.code];
  return [...(act === null ? [] : [act]), ...(needed === undefined ? [] : [needed])];
}

/** What is over now that this was done. */
export function overWith(name: IntentName, params: object): readonly Cause[] {
  const act = actOf(name, params);
  return [...(act === null ? [] : [act]), ...(WRITTEN.has(name) ? (["disk"] as const) : [])];
}

/** The same act upon the same thing; what is said or filled in may be another time's. */
function actOf(name: IntentName, params: object): Cause | null {
  if (OF_ONE.has(name)) return null;
  const things = Object.entries(params).filter(([key, value]) => key !== "text" && (typeof value === "string" || value === null));
  return `act ${name} ${JSON.stringify(things)}`;
}
