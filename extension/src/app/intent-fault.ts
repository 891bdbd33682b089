// An intent that was not carried out, in words. The only error whose text crosses the bus.
import type { Fault } from "../agent/events.ts";

export class IntentFault extends Error {
  override readonly name = "IntentFault";
  constructor(
    readonly fault: Fault,
    cause?: unknown,
  ) {
    super(fault.message, { cause });
  }
}
