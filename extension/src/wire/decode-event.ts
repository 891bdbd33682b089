// Events from a file: whatever is not an event of ours, whole and of the right types, is no event.
//
// Our own database is trusted; a file somebody hands over is not.
import { z } from "zod";
import { attachmentSchema } from "./attachment.ts";
import type { AgentEvent } from "./events.ts";
import { planSchema } from "./plan.ts";

const text = z.string();
const count = z.number().finite();
const modelName = z.object({ id: text, label: text });
const usage = z.object({ inputTokens: count.nullable(), outputTokens: count.nullable(), cachedInputTokens: count.nullable(), reasoningTokens: count.nullable(), cacheWriteTokens: count.nullable().optional() }).nullable();
const fault = z.object({ code: text, message: text, hint: text.nullable(), retryable: z.boolean(), origin: text.optional() });
const limits = z.object({ steps: count.optional(), costUsd: count.nullable().optional(), minutes: count.nullable().optional(), retries: count.optional(), retryFirstMs: count.optional(), retryLastMs: count.optional(), toolTimeoutsMs: z.record(text, count).optional() });
const modelLimits = z.object({ window: count.nullable(), output: count.nullable(), tokenFactor: z.number().positive().optional() }).optional();
const config = z.object({
  workspace: text.nullable(),
  model: text,
  mode: z.enum(["plan", "ask", "accept_edits"]),
  limits: limits.optional(),
  thinking: z.enum(["none", "low", "medium", "high"]).optional(),
  profile: text.optional(),
  instructions: text.optional(),
  tools: z.array(text).optional(),
  hooks: z.array(text).optional(),
});
const providerData = z.record(text, z.unknown()).optional();
const attachments = z.array(attachmentSchema).optional();
const strangers = z.array(text);
const field = z.object({ id: text, label: text, kind: z.enum(["choice", "choices", "text", "yes_no"]), options: z.array(z.object({ value: text, label: text })), required: z.boolean() });

const eventSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("SessionStarted"), config }),
  z.object({ type: z.literal("SessionConfigured"), config }),
  z.object({ type: z.literal("Seeded"), messages: z.array(z.object({ role: z.enum(["user", "assistant"]), text })), strangers }),
  z.object({ type: z.literal("TitleSet"), title: text, by: z.enum(["user", "engine"]) }),
  z.object({ type: z.literal("SessionTagged"), tags: z.array(text) }),
  z.object({ type: z.literal("UserMessage"), message: text, text, item: text.optional(), attachments }),
  z.object({ type: z.literal("Steered"), turn: text, item: text, text, attachments }),
  z.object({ type: z.literal("HookNoted"), turn: text, hook: text, key: text, text }),
  z.object({ type: z.literal("HandedOver"), turn: text, config, modelLabel: text.optional(), limits: modelLimits }),
  z.object({ type: z.literal("TurnStart"), turn: text, message: text, config, modelLabel: text, limits: modelLimits }),
  z.object({ type: z.literal("StepStart"), turn: text, step: text, index: count, attempt: count }),
  z.object({ type: z.literal("AssistantDelta"), step: text, text }),
  z.object({ type: z.literal("ReasoningDelta"), step: text, text }),
  z.object({ type: z.literal("ToolRequested"), step: text, call: text, providerCall: text, tool: text, argsText: text, readOnly: z.boolean(), path: text.nullable(), providerData }),
  z.object({
    type: z.literal("AssistantDone"),
    step: text,
    text,
    reasoning: text,
    finish: z.enum(["stop", "tool_calls", "length", "content_filter", "other"]),
    usage,
    estimate: z.object({ system: count, tools: count, messages: count }).optional(),
    costUsd: count.nullable().optional(),
    providerData,
  }),
  z.object({ type: z.literal("StreamCut"), step: text, fault, retryAfterMs: count.nullable() }),
  z.object({ type: z.literal("RetryScheduled"), step: text, attempt: count, at: count, fault }),
  z.object({ type: z.literal("ToolStarted"), call: text, instance: text, journal: text.optional() }),
  z.object({ type: z.literal("ToolProgress"), call: text, progress: count, total: count.nullable(), message: text.nullable() }),
  z.object({ type: z.literal("ToolOutput"), call: text, text, offset: count, skippedBytes: count }),
  z.object({ type: z.literal("PolicyDecision"), call: text, decision: z.enum(["ask", "allow", "deny"]), by: text }),
  z.object({ type: z.literal("ApprovalAsked"), call: text, plan: planSchema, requestState: text, instance: text }),
  z.object({ type: z.literal("ApprovalAnswered"), call: text, plan: text, digest: text, decision: z.enum(["allow", "deny"]), note: text.nullable(), hunks: z.array(text).nullable(), by: text }),
  z.object({ type: z.literal("ArgsEdited"), call: text, key: text, argsText: text }),
  z.object({ type: z.literal("QuestionAsked"), call: text, question: z.object({ title: text, fields: z.array(field), link: text.regex(/^https?:\/\//i).nullable() }) }),
  z.object({ type: z.literal("QuestionAnswered"), call: text, answer: z.record(text, z.union([text, z.boolean(), z.array(text)])) }),
  z.object({ type: z.literal("QuestionCancelled"), call: text }),
  z.object({ type: z.literal("QuestionFailed"), call: text }),
  z.object({
    type: z.literal("ToolResult"),
    call: text,
    isError: z.boolean(),
    text,
    structured: z.unknown(),
    origin: z.enum(["host", "engine"]),
    replayed: z.boolean(),
    durationMs: count.nullable(),
    stranger: text.optional(),
    pictures: attachments,
  }),
  z.object({ type: z.literal("StepEnd"), step: text }),
  z.object({ type: z.literal("TurnPaused"), turn: text, reason: z.enum(["step_cap", "cost_cap", "price_unknown", "time_cap", "same_failure", "no_progress", "context_full"]), message: text }),
  z.object({ type: z.literal("TurnResumed"), turn: text, by: z.literal("user") }),
  z.object({ type: z.literal("StopRequested"), turn: text }),
  z.object({ type: z.literal("TurnEnd"), turn: text, outcome: z.enum(["complete", "cancelled", "failed"]), fault: fault.nullable() }),
  z.object({ type: z.literal("Recovered"), turn: text, what: text }),
  z.object({ type: z.literal("Compacted"), compaction: text, turn: text, steps: count, summary: text, tokensBefore: count, tokensAfter: count, by: z.enum(["user", "engine"]), usage, costUsd: count.nullable().optional(), model: modelName.optional() }),
  z.object({ type: z.literal("CompactFailed"), compaction: text, fault, usage: usage.optional(), costUsd: count.nullable().optional(), model: modelName.optional() }),
  z.object({ type: z.literal("CompactRetryScheduled"), compaction: text, attempt: count, at: count, fault, billed: count.optional() }),
  z.object({ type: z.literal("CompactionUndone"), compaction: text }),
  z.object({ type: z.literal("BranchStart"), branch: text, kind: z.enum(["main", "fork", "edit", "undo", "retry", "delete"]), from: text.nullable(), without: text.optional() }),
  z.object({ type: z.literal("BranchSelected"), branch: text }),
  z.object({ type: z.literal("UndoStarted"), undo: text, act: z.enum(["undo", "redo", "bring_back"]), turn: text, what: z.enum(["files", "both"]), skipConflicts: z.boolean(), overwrite: z.boolean(), paths: z.array(text).optional() }),
  z.object({ type: z.literal("UndoEnded"), undo: text, state: z.enum(["done", "conflict", "given_up", "left"]) }),
  z.object({ type: z.literal("UndoDone"), turn: text, direction: z.enum(["undo", "redo"]), state: text, files: z.array(z.object({ path: text, action: text, conflict: text.nullable(), replaced: z.boolean().optional() })), replaced: z.array(text).optional(), broughtBack: z.boolean().optional(), within: text.optional() }),
  z.object({ type: z.literal("TurnPinned"), turn: text, pinned: z.boolean() }),
]);

/**
 * Null: it is none, or none that a file may bring. Rules, leases and what waits in a queue are a person's own acts in this
 * browser: a file grants nothing and says nothing in anyone's name.
 */
export function decodeImportedEvent(value: unknown): AgentEvent | null {
  const event = eventSchema.safeParse(value);
  return event.success ? (event.data as AgentEvent) : null;
}
