// A tool of the loop itself: it never reaches the host. One file a tool; `catalog.ts` lists them once.
import { z } from "zod";
import type { ToolDefinition } from "../../llm/model.ts";
import type { AgentEvent, SessionOrigin } from "../events.ts";
import type { Preview } from "../../wire/plan.ts";
import type { CallLog, TurnLog } from "../log.ts";
import type { SessionLoop } from "../loop.ts";

export interface LoopToolRun {
  readonly loop: SessionLoop;
  readonly turn: TurnLog;
  readonly call: CallLog;
  readonly signal: AbortSignal;
}

export type LoopToolOutcome =
  | { readonly kind: "result"; readonly text: string; readonly data?: unknown; readonly stranger?: string; /** Written with it. */ readonly events?: readonly AgentEvent[] }
  | { readonly kind: "failure"; readonly code: string; readonly message: string; readonly hint: string | null; readonly data?: unknown; readonly stranger?: string }
  /** It waits for a person; these events say for what. */
  | { readonly kind: "waits"; readonly events: readonly AgentEvent[] };

export interface LoopTool {
  readonly definition: ToolDefinition;
  /** It changes nothing: it runs beside others, and in plan mode. */
  readonly readOnly: boolean;
  /** A card comes first. */
  readonly asks: boolean;
  /** Also where a rule or a lease would let it run. */
  readonly alwaysAsks: boolean;
  /** The address the browser must let us ask before it can run; null: none. */
  origin(args: Readonly<Record<string, unknown>>): string | null;
  /** Why it cannot be done as asked: nobody is asked about it then. */
  refusal(run: LoopToolRun): Promise<LoopToolOutcome | null>;
  /** What its card shows instead of its arguments, and what the answer holds for beside them. */
  preview(run: LoopToolRun): Promise<{ readonly preview: Preview; readonly digest: string } | null>;
  /** Sessions of these origins are not offered it. */
  readonly notFor: readonly SessionOrigin["kind"][];
  /** Offered only where a profile names it. */
  readonly onDemand: boolean;
  run(run: LoopToolRun): Promise<LoopToolOutcome>;
  /** Stop was pressed while it ran. */
  stop?(run: LoopToolRun): Promise<void>;
}

export interface LoopToolSpec<Params extends z.ZodObject> {
  readonly name: string;
  readonly description: string;
  readonly params: Params;
  readonly readOnly?: boolean;
  readonly asks?: boolean;
  readonly alwaysAsks?: boolean;
  readonly origin?: (params: z.output<Params>) => string | null;
  readonly refusal?: (params: z.output<Params>, run: LoopToolRun) => Promise<LoopToolOutcome | null>;
  readonly preview?: (params: z.output<Params>, run: LoopToolRun) => Promise<Preview>;
  /** Of what the preview stands on. */
  readonly digest?: (params: z.output<Params>, run: LoopToolRun) => Promise<string>;
  readonly notFor?: readonly SessionOrigin["kind"][];
  readonly onDemand?: boolean;
  readonly run: (params: z.output<Params>, run: LoopToolRun) => Promise<LoopToolOutcome> | LoopToolOutcome;
  readonly stop?: (run: LoopToolRun) => Promise<void>;
}

/** The parameters are checked before `run` sees them; the schema the model gets is made from the same words. */
export function loopTool<Params extends z.ZodObject>(spec: LoopToolSpec<Params>): LoopTool {
  const { $schema: _schema, ...parameters } = z.toJSONSchema(spec.params, { io: "input" });
  return {
    definition: { name: spec.name, description: spec.description, parameters },
    readOnly: spec.readOnly ?? false,
    asks: spec.asks ?? spec.alwaysAsks ?? false,
    alwaysAsks: spec.alwaysAsks ?? false,
    origin: (args) => {
      const params = spec.params.safeParse(args);
      return params.success ? (spec.origin?.(params.data) ?? null) : null;
    },
    refusal: async (run) => {
      const params = spec.params.safeParse(run.call.args ?? {});
      return params.success ? ((await spec.refusal?.(params.data, run)) ?? null) : null;
    },
    preview: async (run) => {
      const params = spec.params.safeParse(run.call.args ?? {});
      if (!params.success || spec.preview === undefined) return null;
      return { preview: await spec.preview(params.data, run), digest: (await spec.digest?.(params.data, run)) ?? "" };
    },
    notFor: spec.notFor ?? [],
    onDemand: spec.onDemand ?? false,
    run: async (run) => {
      const params = spec.params.safeParse(run.call.args ?? {});
      if (params.success) return spec.run(params.data, run);
      const issue = params.error.issues[0];
      return failure("invalid_args", `\`${issue?.path.join(".") ?? ""}\`: ${issue?.message ?? "cannot be read"}`, "Look at the schema and send the call again.");
    },
    ...(spec.stop === undefined ? {} : { stop: spec.stop }),
  };
}

export function done(text: string, data?: unknown): LoopToolOutcome {
  return { kind: "result", text, ...(data === undefined ? {} : { data }) };
}

export function failure(code: string, message: string, hint: string | null): LoopToolOutcome {
  return { kind: "failure", code, message, hint };
}
