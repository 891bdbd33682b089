// A card for a call that the host would run, or that never reaches it, and about which the person wants to be asked.
import { canonical } from "../lib/canonical.ts";
import { tellingArgument } from "../lib/telling-argument.ts";
import type { Plan, Preview } from "../wire/plan.ts";
import type { CallLog } from "./log.ts";

/** Instead of a process of the host: such a plan is sealed by nobody and never goes stale. */
export const ENGINE_INSTANCE = "engine";

/** Years from now: nothing in it can change but by an edit, which makes a new one. */
const NEVER = "9999-12-31T00:00:00Z";

export function enginePlan(call: CallLog, id: string, reasons: readonly string[], place: string | null, shown: { readonly preview: Preview; readonly digest: string } | null = null): Plan {
  const args = call.args ?? {};
  return {
    id,
    // Its arguments are whole, so they are their own digest; with what a preview was made from.
    digest: `call:${call.tool}:${canonical(args)}${shown === null ? "" : `:${shown.digest}`}`,
    tool: call.tool,
    workspace: place ?? "",
    tier: "individual",
    reasons: [...reasons],
    summary: titleOf(call.tool, args),
    preview: shown?.preview ?? { kind: "call", arguments: Object.entries(args).map(([name, value]) => ({ name, value: typeof value === "string" ? value : canonical(value) })) },
    expires_at: NEVER,
  };
}

/** A title is read at a glance: what the call is about, in a line. The preview has all of it. */
function titleOf(tool: string, args: Readonly<Record<string, unknown>>): string {
  const [line = ""] = tellingArgument(args).split(/[\r\n]/u, 1);
  return `${tool} ${line}`.trim();
}
