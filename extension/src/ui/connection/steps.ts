/** The way from the panel to the host, step by step, and where it ends now. */
import type { ConnectionView } from "../../app/views.ts";

export const STEPS = ["found", "started", "answered", "configured"] as const;

export type StepName = (typeof STEPS)[number];

export type StepState = "done" | "failed" | "working" | "unknown";

const FAILS_AT: Readonly<Record<string, StepName>> = {
  host_not_found: "found",
  access_forbidden: "found",
  bye_caller_not_allowed: "found",
  hello_timeout: "answered",
  host_garbled: "answered",
  version_skew: "answered",
  config_invalid: "configured",
};

/** What is after the failing step was not tried, which is not the same as right. */
export function stepsOf(connection: ConnectionView): Readonly<Record<StepName, StepState>> {
  switch (connection.state) {
    case "connected":
      return { found: "done", started: "done", answered: "done", configured: "done" };
    case "connecting":
      return { found: "working", started: "unknown", answered: "unknown", configured: "unknown" };
    case "idle":
      return { found: "unknown", started: "unknown", answered: "unknown", configured: "unknown" };
    case "failed": {
      const failing = STEPS.indexOf(FAILS_AT[connection.fault.code] ?? "started");
      const state = (place: number): StepState => (place < failing ? "done" : place === failing ? "failed" : "unknown");
      return { found: state(0), started: state(1), answered: state(2), configured: state(3) };
    }
  }
}
