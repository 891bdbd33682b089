// What a profile leaves of the tools: those it names, or all. Asked where they are offered, and again where one is called. Pure.
import type { SessionConfig } from "./events.ts";

/** `onDemand`: only where it is named. */
export function isNamed({ tools }: SessionConfig, name: string, onDemand = false): boolean {
  return tools === undefined ? !onDemand : tools.includes(name);
}
