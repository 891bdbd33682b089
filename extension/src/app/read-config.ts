// What new sessions begin with, as it was stored: what does not fit is as if nobody had chosen.
import type { Mode, SessionConfig, ThinkingLevel } from "../agent/events.ts";
import { DEFAULT_CONFIG } from "../agent/log.ts";
import { readLimits } from "./read-limits.ts";

export function readConfig(value: unknown): SessionConfig {
  if (typeof value !== "object" || value === null) return DEFAULT_CONFIG;
  const { workspace, model, mode, limits, profile, instructions, tools, hooks, thinking } = value as Partial<Record<keyof SessionConfig, unknown>>;
  return {
    ...(limits === undefined ? {} : { limits: readLimits(limits) }),
    ...(typeof profile === "string" ? { profile } : {}),
    ...(typeof instructions === "string" ? { instructions } : {}),
    ...(Array.isArray(tools) ? { tools: tools.filter((tool) => typeof tool === "string") } : {}),
    ...(Array.isArray(hooks) ? { hooks: hooks.filter((hook) => typeof hook === "string") } : {}),
    ...(isThinking(thinking) ? { thinking } : {}),
    workspace: typeof workspace === "string" ? workspace : DEFAULT_CONFIG.workspace,
    model: typeof model === "string" ? model : DEFAULT_CONFIG.model,
    mode: isMode(mode) ? mode : DEFAULT_CONFIG.mode,
  };
}

function isThinking(value: unknown): value is ThinkingLevel {
  return value === "none" || value === "low" || value === "medium" || value === "high";
}

function isMode(value: unknown): value is Mode {
  return value === "plan" || value === "ask" || value === "accept_edits";
}
