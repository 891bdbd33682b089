// What the next request to the model would hold, part by part, with where each comes from and what it costs: the prompt inspector.
import { buildMessages, callsInPrompt, systemParts } from "../agent/context.ts";
import { lifetimeOf } from "../agent/decay.ts";
import type { CallLog, SessionLog } from "../agent/log.ts";
import { correction } from "../agent/meter.ts";
import { offeredTools } from "../agent/offered-tools.ts";
import type { ToolHost } from "../agent/world.ts";
import { estimateTokens } from "../lib/estimate-tokens.ts";
import { localDay } from "../lib/local-day.ts";
import type { Rule } from "../wire/rule.ts";

export interface InspectedPart {
  /** `system:<source>` (of a hook `system:hook:<id>`), `tool:<name>`, `message:<role>`, `attachment:<kind>`. */
  readonly source: string;
  readonly text: string;
  /** An estimate, corrected by what the provider counted. */
  readonly tokens: number;
  /** Of a long result: in how many more turns it is there in full, or that it is a stub by now. Left out: it stays until room is made. */
  readonly lifetime?: number | "stub";
}

export async function inspectPrompt(log: SessionLog, host: ToolHost, rules: readonly Rule[], now: number, modelName: string | null): Promise<readonly InspectedPart[]> {
  const turn = log.turns.at(-1);
  const config = log.config;
  const factor = correction(log);
  const part = (source: string, text: string): InspectedPart => ({ source, text, tokens: Math.round(estimateTokens(text) * factor) });
  const tools = turn === undefined ? [] : offeredTools(log, { ...turn, config }, await host.listTools(), rules, modelName);
  const calls = callsInPrompt(log)[Symbol.iterator]();
  return [
    ...systemParts(await host.workspace(config.workspace), config, log.origin, { log, day: localDay(now) }).map(({ source, text }) => part(`system:${source}`, text)),
    ...tools.map((tool) => part(`tool:${tool.name}`, `${tool.description}\n${JSON.stringify(tool.parameters)}`)),
    ...buildMessages(log).flatMap((message) => [
      ...(message.role === "user" ? (message.files ?? []).map(({ attachment }) => ({ source: `attachment:${attachment.kind}`, text: `${attachment.name} (${attachment.mediaType})`, tokens: attachment.tokens })) : []),
      {
        ...part(
          `message:${message.role}`,
          message.role === "assistant" ? [message.text, ...message.calls.map((call) => `${call.tool} ${call.argsText}`)].filter((line) => line !== "").join("\n") : message.text,
        ),
        ...(message.role === "tool" ? livesFor(log, calls.next().value) : {}),
      },
    ]),
  ];
}

function livesFor(log: SessionLog, call: CallLog | undefined): Pick<InspectedPart, "lifetime"> {
  const lifetime = call === undefined ? null : lifetimeOf(log.turns, call);
  return lifetime === null ? {} : { lifetime };
}
