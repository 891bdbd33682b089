// What a person has the host do beside the work of the agent: pick a folder, give one up, examine the way from the browser to it.
import { HostUnreachable } from "../host/faults.ts";
import { CallUnanswered, HostRefused, type HostClient } from "../host/host-client.ts";
import { WireError } from "../wire/decode.ts";
import type { WireDoctor } from "../wire/errands.ts";
import { IntentFault } from "./intent-fault.ts";
import type { WorkspacePick } from "./views.ts";

/** Longer than a start takes; a missing host is told before. */
const READY_MS = 10_000;

export class Errands {
  readonly #ready: (timeoutMs: number) => Promise<HostClient>;

  constructor(ready: (timeoutMs: number) => Promise<HostClient>) {
    this.#ready = ready;
  }

  /** Where no dialog can be had, the answer says what can be typed instead. */
  async pick(): Promise<WorkspacePick> {
    return this.#run(async (host) => {
      try {
        const { state, workspace } = await host.pickWorkspace();
        return { state, workspace: workspace?.id ?? null };
      } catch (error) {
        if (!(error instanceof HostRefused)) throw error;
        const { refusal, message } = error;
        return { state: "unavailable", reason: refusal?.reason ?? "unknown", message, hint: refusal?.hint ?? null, command: refusal?.command ?? null };
      }
    });
  }

  async remove(id: string): Promise<void> {
    await this.#run((host) => host.removeWorkspace(id));
  }

  async doctor(report: boolean): Promise<WireDoctor> {
    return this.#run((host) => host.runDoctor(report));
  }

  async #run<Answer>(ask: (host: HostClient) => Promise<Answer>): Promise<Answer> {
    try {
      return await ask(await this.#ready(READY_MS));
    } catch (error) {
      if (error instanceof HostUnreachable) throw new IntentFault({ ...error.fault, retryable: true });
      if (error instanceof CallUnanswered) throw new IntentFault({ code: "host_silent", message: `The host gave no answer: ${error.message}.`, hint: "Try again.", retryable: true });
      if (error instanceof HostRefused || error instanceof WireError) throw new IntentFault({ code: "host_refused", message: `The host did not do this: ${error.message}`, hint: error instanceof HostRefused ? (error.refusal?.hint ?? null) : "The host and this extension may be of different versions.", retryable: false });
      throw error;
    }
  }
}
