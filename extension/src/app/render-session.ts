// A conversation as markdown, for a file or the clipboard. As a page it is made by `export-html.ts`.
import type { SessionView, StepView, ToolCallView, TurnView } from "../agent/session-view.ts";

/** Sub-agents, by the call that each of them answered. */
export type Agents = ReadonlyMap<string, Pick<SessionView, "turns">>;

export const NO_AGENTS: Agents = new Map();

export function renderMarkdown(view: Pick<SessionView, "title" | "createdAt" | "turns">, agents: Agents = NO_AGENTS): string {
  return [`# ${view.title}`, `_${new Date(view.createdAt).toISOString()}_`, ...view.turns.map((turn) => renderTurn(turn, agents))].join("\n\n");
}

export function renderTurn(turn: TurnView, agents: Agents = NO_AGENTS): string {
  return [
    "## You",
    turn.message.text,
    ...(turn.message.attachments ?? []).map(({ name, mediaType }) => `> Attached: ${name} (${mediaType})`),
    `## ${turn.modelLabel === "" ? "Agent" : turn.modelLabel}`,
    ...turn.steps.flatMap((step, place) => [...renderSaid(turn, place), ...renderStep(step, agents)]),
    ...renderSaid(turn, turn.steps.length),
    ...(turn.fault === null ? [] : [`> ${turn.fault.message}`]),
  ].join("\n\n");
}

function renderSaid({ steers }: TurnView, place: number): readonly string[] {
  return steers.filter(({ afterSteps }) => afterSteps === place).map(({ text }) => `> You, meanwhile: ${text}`);
}

function renderStep(step: StepView, agents: Agents): readonly string[] {
  if (step.state === "draft" && step.text === "") return [];
  return [...(step.text === "" ? [] : [step.text]), ...step.calls.flatMap((call) => [renderCall(call), ...renderAgent(agents.get(call.id))])];
}

/** What it did, set apart from the conversation it worked for. It has no agents of its own. */
function renderAgent(agent: Pick<SessionView, "turns"> | undefined): readonly string[] {
  const lines = (agent?.turns ?? []).flatMap((turn) => turn.steps.flatMap((step) => renderStep(step, NO_AGENTS)));
  return lines.length === 0 ? [] : [["**Sub-agent**", ...lines].join("\n\n").replaceAll(/^/gm, "> ")];
}

function renderCall(call: ToolCallView): string {
  const body = [`${call.tool} ${call.argsText}`, ...(call.result === null ? [] : [call.result.text])].join("\n\n");
  return `**${call.tool}** (${call.state})\n\n${fenced(body)}`;
}

/** A fence that the text itself cannot end. */
function fenced(text: string): string {
  let longest = 2;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}

/** From a title to a name that every system takes. */
export function fileName(title: string, ending: string): string {
  const plain = title.normalize("NFKC").replaceAll(/[^\p{L}\p{N}._-]+/gu, "-").replaceAll(/^[-.]+|[-.]+$/g, "").slice(0, 60);
  return `${plain === "" ? "session" : plain}.${ending}`;
}
