// The trust boundary: nothing from the host is used before it went through one of these.
//
// Unknown fields are left out, so a newer host may say more. What is missing or of another type is a `WireError`.
import { z } from "zod";
import { decoder } from "./decoder.ts";
import { hunkSchema, lineEndsSchema, planSchema, tierSchema, type Plan } from "./plan.ts";

export { WireError } from "./decoder.ts";

const protocolRangeSchema = z.object({ min: z.number(), max: z.number() });

const configErrorSchema = z.object({
  message: z.string(),
  file: z.string().nullish(),
  line: z.number().nullish(),
  column: z.number().nullish(),
  hint: z.string().nullish(),
});
export type ConfigError = z.infer<typeof configErrorSchema>;

const helloSchema = z.object({
  host: z.object({ name: z.string(), version: z.string(), build: z.string().default("") }),
  protocol: z.object({ min: z.number(), max: z.number(), chosen: z.number() }),
  pid: z.number(),
  instance_id: z.string().min(1),
  limits: z.object({
    frame_bytes: z.number(),
    chunk_bytes: z.number(),
    message_bytes: z.number(),
    open_groups: z.number(),
  }),
  features: z.array(z.string()).default([]),
  mcp: z.array(z.string()),
  config: z.object({ path: z.string().nullish(), ok: z.boolean(), error: configErrorSchema.nullish() }),
});
export type Hello = z.infer<typeof helloSchema>;

const versionSkewSchema = z.object({ host: protocolRangeSchema, client: protocolRangeSchema, hint: z.string().nullish() });
export type VersionSkew = z.infer<typeof versionSkewSchema>;

const rpcErrorSchema = z.object({ code: z.number(), message: z.string(), data: z.unknown().optional() });
export type RpcError = z.infer<typeof rpcErrorSchema>;

const byeSchema = z.object({ code: z.number(), reason: z.string(), message: z.string().default("") });
export type Bye = z.infer<typeof byeSchema>;

const outputSchema = z.object({
  call: z.string(),
  text: z.string(),
  offset: z.number(),
  skipped_bytes: z.number().default(0),
});
export type OutputNotification = z.infer<typeof outputSchema>;

const toolSchema = z.object({
  name: z.string().regex(/^[a-z][a-z0-9_]{2,31}$/),
  description: z.string().default(""),
  inputSchema: z.record(z.string(), z.unknown()),
  outputSchema: z.record(z.string(), z.unknown()).nullish(),
  annotations: z
    .object({
      readOnlyHint: z.boolean().default(false),
      destructiveHint: z.boolean().default(true),
      idempotentHint: z.boolean().default(false),
      openWorldHint: z.boolean().default(true),
    })
    .prefault({}),
  // What carries no tier asks for each call.
  _meta: z.object({ "dev.outrigger/tier": tierSchema.default("individual") }).prefault({}),
});
export type WireTool = z.infer<typeof toolSchema>;

const workspacesSchema = z.object({
  workspaces: z.array(
    z.object({
      id: z.string(),
      path: z.string(),
      default: z.boolean().default(false),
      read_only: z.boolean().default(false),
      available: z.boolean().default(true),
      reason: z.string().nullish(),
    }),
  ),
});
export type WireWorkspace = z.infer<typeof workspacesSchema>["workspaces"][number];

const policySchema = z.object({
  blocked: z.array(z.string()),
  protected: z.array(z.string()),
  tiers: z.record(z.string(), tierSchema),
  commands: z.array(z.object({ id: z.string(), summary: z.string().default(""), program: z.string().default(""), tier: tierSchema })),
  config_path: z.string().nullish(),
});
export type WirePolicy = z.infer<typeof policySchema>;

const toolResultSchema = z.object({
  content: z.array(z.looseObject({ type: z.string(), text: z.string().optional(), data: z.string().optional(), mimeType: z.string().optional() })).default([]),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().default(false),
  _meta: z.looseObject({ "dev.outrigger/replayed": z.boolean().default(false) }).prefault({}),
});

/** A finished call. `text` is what a model reads. */
export interface WireToolResult {
  readonly isError: boolean;
  readonly text: string;
  readonly structured: unknown;
  readonly replayed: boolean;
  /** As base64, in the order in which they came. */
  readonly pictures?: readonly string[];
}

const callStateSchema = z.object({
  call: z.string(),
  state: z.enum(["unknown", "asked", "running", "finished", "outcome_unknown"]),
  tool: z.string().nullish(),
  result: z.unknown().optional(),
  journal: z.string().nullish(),
});
const callCancelSchema = z.object({ call: z.string(), state: z.string(), cancelled: z.boolean() });
export type WireCancel = z.infer<typeof callCancelSchema>;

export interface WireCallState {
  readonly state: "unknown" | "asked" | "running" | "finished" | "outcome_unknown";
  readonly result: WireToolResult | null;
  /** Whose answer it is; null: an older host, or it needs no journal to know. */
  readonly journal: string | null;
}

const undoneSchema = z.object({
  state: z.string(),
  /** Bringing back what an undo replaced goes the other way than that. */
  direction: z.enum(["undo", "redo"]).optional(),
  files: z.array(z.object({ path: z.string(), action: z.string(), conflict: z.string().nullish(), replaced: z.boolean().optional(), done: z.boolean().optional() })).default([]),
});
export type WireUndone = z.infer<typeof undoneSchema>;

const turnsSchema = z.object({
  turns: z.array(
    z.object({
      turn: z.string(),
      session: z.string().nullish(),
      commands: z.number().default(0),
      finished_at: z.union([z.string(), z.number()]).nullish(),
      state: z.string(),
      /** What undos of it replaced of others' work, by the undo's key, oldest first. */
      replaced: z.array(z.object({ call: z.string(), paths: z.array(z.string()) })).default([]),
    }),
  ),
});
export type WireTurn = z.infer<typeof turnsSchema>["turns"][number];

const turnDiffSchema = z.object({
  state: z.string(),
  files: z
    .array(
      z.object({
        path: z.string(),
        op: z.string(),
        added: z.number().default(0),
        removed: z.number().default(0),
        folder: z.boolean().default(false),
        binary: z.boolean().default(false),
        missing: z.string().nullish(),
        line_ends: lineEndsSchema.nullish(),
        hunks: z.array(hunkSchema).default([]),
      }),
    )
    .default([]),
});
export type WireTurnDiff = z.infer<typeof turnDiffSchema>;

const inputRequiredSchema = z.object({
  resultType: z.literal("input_required"),
  requestState: z.string(),
  _meta: z.object({ "dev.outrigger/plan": planSchema }),
});

export type CallOutcome =
  | { readonly kind: "result"; readonly result: WireToolResult }
  | { readonly kind: "asked"; readonly plan: Plan; readonly requestState: string };

export const decodeHello = decoder("the hello", helloSchema);
export const decodeBye = decoder("the bye", byeSchema);
export const decodeRpcError = decoder("an error", rpcErrorSchema);
export const decodeVersionSkew = decoder("the version skew", versionSkewSchema);
export const decodeOutput = decoder("live output", outputSchema);
export const decodeWorkspaces = decoder("the list of workspaces", workspacesSchema);
export const decodePolicy = decoder("the policy", policySchema);
export const decodeCancel = decoder("the answer to a cancel", callCancelSchema);
export const decodeUndone = decoder("the answer to an undo", undoneSchema);
export const decodeTurns = decoder("the list of turns", turnsSchema);
export const decodeTurnDiff = decoder("the diff of a turn", turnDiffSchema);
export const decodeTool = decoder("a tool", toolSchema);

const readCallState = decoder("the state of a call", callStateSchema);
const readToolResult = decoder("the result of a tool", toolResultSchema);
const readInputRequired = decoder("a plan", inputRequiredSchema);

export function decodeCallState(value: unknown): WireCallState {
  const state = readCallState(value);
  return { state: state.state, journal: state.journal ?? null, result: state.result === undefined || state.result === null ? null : decodeToolResult(state.result) };
}

export function decodeToolResult(value: unknown): WireToolResult {
  const result = readToolResult(value);
  const pictures = result.content.flatMap((part) => (part.type === "image" && part.data !== undefined ? [part.data] : []));
  return {
    isError: result.isError,
    text: result.content.flatMap((part) => (part.type === "text" && part.text !== undefined ? [part.text] : [])).join("\n"),
    structured: result.structuredContent ?? null,
    replayed: result._meta["dev.outrigger/replayed"],
    ...(pictures.length === 0 ? {} : { pictures }),
  };
}

export function decodeCallOutcome(value: unknown): CallOutcome {
  if (typeof value === "object" && value !== null && "resultType" in value && value.resultType === "input_required") {
    const asked = readInputRequired(value);
    return { kind: "asked", plan: asked._meta["dev.outrigger/plan"], requestState: asked.requestState };
  }
  return { kind: "result", result: decodeToolResult(value) };
}
