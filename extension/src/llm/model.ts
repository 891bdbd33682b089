// What a model is to the engine, whoever makes it. One adapter a file implements it.
import type { Attachment } from "../wire/attachment.ts";
import type { Fault, FinishReason, ProviderData, ThinkingLevel, Usage } from "../wire/events.ts";

export type PromptMessage =
  | { readonly role: "user"; readonly text: string; readonly files?: readonly PromptFile[] }
  | {
      readonly role: "assistant";
      readonly text: string;
      readonly reasoning: string;
      readonly calls: readonly PromptCall[];
      readonly providerData: ProviderData | null;
    }
  | { readonly role: "tool"; readonly call: string; readonly tool: string; readonly text: string; readonly isError: boolean; /** Text of the web. */ readonly isPage?: boolean };

export interface PromptFile {
  readonly attachment: Attachment;
  /** Null until the prompt is sent, and for ever where it is text: that stands in the message. */
  readonly base64: string | null;
  readonly isLeftOut: boolean;
  /** A tool gave it, and no person chose it for this model. */
  readonly isOfTool?: boolean;
}

export interface PromptCall {
  readonly call: string;
  readonly tool: string;
  readonly argsText: string;
  readonly providerData: ProviderData | null;
}

export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  /** JSON Schema, as the host gave it. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

export interface ModelRequest {
  readonly system: string;
  readonly messages: readonly PromptMessage[];
  readonly tools: readonly ToolDefinition[];
  /** The most the answer may hold; left out, the provider's own limit. */
  readonly maxOutputTokens?: number | null;
  /** How long it may think; left out, as the provider does by itself. */
  readonly thinking?: ThinkingLevel;
  readonly signal: AbortSignal;
}

export type ModelPart =
  /** The provider took the request; comes first where it comes at all. */
  | { readonly type: "accepted"; readonly requestId: string | null }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "reasoning"; readonly text: string }
  | {
      readonly type: "call";
      readonly providerCall: string;
      readonly tool: string;
      readonly argsText: string;
      readonly providerData: ProviderData | null;
    }
  | { readonly type: "finish"; readonly reason: FinishReason; readonly usage: Usage | null; readonly providerData: ProviderData | null };

export interface Model {
  readonly label: string;
  /** Ends with exactly one `finish`, or throws a `ModelFault`. */
  stream(request: ModelRequest): AsyncIterable<ModelPart>;
}

/** A request that failed, in words a person can act on. */
export class ModelFault extends Error {
  override readonly name = "ModelFault";
  constructor(
    readonly fault: Fault,
    /** What the server asked for, in milliseconds. */
    readonly retryAfterMs: number | null = null,
  ) {
    super(fault.message);
  }
}
