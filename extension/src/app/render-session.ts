// A conversation as a file a person reads: markdown, or one HTML page that loads nothing and runs nothing.
import type { SessionView, StepView, ToolCallView, TurnView } from "../agent/session-view.ts";

/** Sub-agents, by the call that each of them answered. */
type Agents = ReadonlyMap<string, SessionView>;

const NO_AGENTS: Agents = new Map();

export function renderMarkdown(view: SessionView, agents: Agents = NO_AGENTS): string {
  return [`# ${view.title}`, `_${new Date(view.createdAt).toISOString()}_`, ...view.turns.map((turn) => renderTurn(turn, agents))].join("\n\n");
}

export function renderTurn(turn: TurnView, agents: Agents = NO_AGENTS): string {
  return [
    "## You",
    turn.message.text,
    ...(turn.message.attachments ?? []).map(({ name, mediaType }) => `> Attached: ${name} (${mediaType})`),
    `## ${turn.modelLabel === "" ? "Agent" : turn.modelLabel}`,
    ...turn.steps.flatMap((step, place) => [...turn.steers.filter(({ afterSteps }) => afterSteps === place).map(({ text }) => `> You, meanwhile: ${text}`), ...renderStep(step, agents)]),
    ...(turn.fault === null ? [] : [`> ${turn.fault.message}`]),
  ].join("\n\n");
}

function renderStep(step: StepView, agents: Agents): readonly string[] {
  if (step.state === "draft" && step.text === "") return [];
  return [...(step.text === "" ? [] : [step.text]), ...step.calls.flatMap((call) => [renderCall(call), ...renderAgent(agents.get(call.id))])];
}

/** What it did, set apart from the conversation it worked for. It has no agents of its own. */
function renderAgent(agent: SessionView | undefined): readonly string[] {
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

export function renderHtml(view: SessionView, agents: Agents = NO_AGENTS): string {
  const turns = view.turns.map((turn) =>
    [
      part("you", "You", turn.message.text),
      ...(turn.message.attachments ?? []).map(({ name, mediaType }) => `<p class="note">Attached: ${escapeHtml(`${name} (${mediaType})`)}</p>`),
      ...stepsHtml(turn, agents),
      ...(turn.fault === null ? [] : [`<p class="note">${escapeHtml(turn.fault.message)}</p>`]),
    ].join("\n"),
  );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="content-security-policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width"><title>${escapeHtml(view.title)}</title>
<style>${STYLE}</style></head><body>
<h1>${escapeHtml(view.title)}</h1><p class="note">${new Date(view.createdAt).toISOString()}</p>
${turns.join("\n<hr>\n")}
</body></html>
`;
}

function stepsHtml(turn: TurnView, agents: Agents): readonly string[] {
  return turn.steps.flatMap((step) => [
    ...(step.text === "" ? [] : [part("agent", turn.modelLabel, step.text)]),
    ...step.calls.map((call) => `<details><summary>${escapeHtml(call.tool)} <span>${call.state}</span></summary><pre>${escapeHtml(call.argsText)}</pre><pre>${escapeHtml(call.result?.text ?? "")}</pre>${(agents.get(call.id)?.turns ?? []).flatMap((each) => stepsHtml(each, NO_AGENTS)).join("\n")}</details>`),
  ]);
}

function part(kind: string, name: string, text: string): string {
  return `<section class="${kind}"><h2>${escapeHtml(name)}</h2><div>${escapeHtml(text)}</div></section>`;
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

const STYLE =
  ":root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:48rem;margin:2rem auto;padding:0 1rem}" +
  "h2{font-size:.8rem;margin:1.5rem 0 .25rem;opacity:.7}section div,pre{white-space:pre-wrap;overflow-wrap:anywhere}" +
  ".you div{border-inline-start:3px solid;padding-inline-start:.75rem}pre{font:13px/1.4 ui-monospace,monospace}" +
  "details{margin:.5rem 0}summary span,.note{opacity:.7}";

/** From a title to a name that every system takes. */
export function fileName(title: string, ending: string): string {
  const plain = title.normalize("NFKC").replaceAll(/[^\p{L}\p{N}._-]+/gu, "-").replaceAll(/^[-.]+|[-.]+$/g, "").slice(0, 60);
  return `${plain === "" ? "session" : plain}.${ending}`;
}
