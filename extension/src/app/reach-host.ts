// The host, for what a person asked for just now: a missing one is told in its own words.
import { HOST_WAIT_MS } from "../agent/limits.ts";
import type { EngineWorld, ToolHost } from "../agent/world.ts";
import { HostUnreachable } from "../host/faults.ts";
import { CallUnanswered, HostRefused } from "../host/host-client.ts";
import { WireError } from "../wire/decode.ts";
import { IntentFault } from "./intent-fault.ts";

export async function withHost<Answer>(world: EngineWorld, ask: (host: ToolHost) => Promise<Answer>): Promise<Answer> {
  try {
    return await ask(await world.hostReady(HOST_WAIT_MS));
  } catch (error) {
    if (error instanceof HostUnreachable) throw new IntentFault({ ...error.fault, retryable: true });
    if (error instanceof CallUnanswered) throw new IntentFault({ code: "host_silent", message: `It is not known whether this was done: ${error.message}.`, hint: "Look at it again, then try once more.", retryable: true });
    if (error instanceof HostRefused || error instanceof WireError) throw new IntentFault({ code: "host_refused", message: `The host did not do this: ${error.message}`, hint: "The host and this extension may be of different versions.", retryable: false });
    throw error;
  }
}
