// A conversation as one HTML page that loads nothing and runs nothing. Made where it is looked at: the engine carries no parser of markdown.
import type { TurnView } from "../agent/session-view.ts";
import { codeToHtml, escapeHtml, markdownToHtml, plainHtml } from "./render-markdown.ts";
import { fileName, NO_AGENTS, type Agents } from "./render-session.ts";
import type { ExportedFile, ExportedView } from "./views.ts";

/** So long the page may be busy with parsing; what is left then stands as it was written. A whole conversation takes a part of a second. */
const PATIENCE_MS = 8_000;

export function exportHtml({ view, agents }: ExportedView): ExportedFile {
  const end = Date.now() + PATIENCE_MS;
  const draw = (text: string) => (Date.now() < end ? markdownToHtml(text) : plainHtml(text));
  return { name: fileName(view.title, "html"), mediaType: "text/html", text: renderHtml(view, new Map(agents), draw) };
}

type Draw = (text: string) => string;

function renderHtml(view: ExportedView["view"], agents: Agents, draw: Draw): string {
  const turns = view.turns.map((turn) =>
    [
      `<section class="you"><h2>You</h2><div class="plain" dir="auto">${escapeHtml(turn.message.text)}</div></section>`,
      ...(turn.message.attachments ?? []).map(({ name, mediaType }) => note(`Attached: ${name} (${mediaType})`)),
      ...stepsHtml(turn, agents, draw),
      ...(turn.fault === null ? [] : [note(turn.fault.message)]),
    ].join("\n"),
  );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="content-security-policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width"><title>${escapeHtml(view.title)}</title>
<style>${STYLE}</style></head><body>
<h1 dir="auto">${escapeHtml(view.title)}</h1><p class="note">${new Date(view.createdAt).toISOString()}</p>
${turns.join("\n<hr>\n")}
</body></html>
`;
}

/** With what was said meanwhile, in its place. */
function stepsHtml(turn: TurnView, agents: Agents, draw: Draw): readonly string[] {
  const said = (place: number) => turn.steers.filter(({ afterSteps }) => afterSteps === place).map(({ text }) => `<section class="you"><h2>You, meanwhile</h2><div class="plain" dir="auto">${escapeHtml(text)}</div></section>`);
  return [
    ...turn.steps.flatMap((step, place) => [
      ...said(place),
      ...(step.text === "" ? [] : [`<section class="agent"><h2>${escapeHtml(turn.modelLabel === "" ? "Agent" : turn.modelLabel)}</h2>\n${draw(step.text)}</section>`]),
      ...step.calls.map((call) => `<details><summary>${escapeHtml(call.tool)} <span>${call.state}</span></summary><pre>${codeToHtml(call.argsText)}</pre><pre>${codeToHtml(call.result?.text ?? "")}</pre>${(agents.get(call.id)?.turns ?? []).flatMap((each) => stepsHtml(each, NO_AGENTS, draw)).join("\n")}</details>`),
    ]),
    ...said(turn.steps.length),
  ];
}

function note(text: string): string {
  return `<p class="note">${escapeHtml(text)}</p>`;
}

const STYLE =
  ":root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:48rem;margin:2rem auto;padding:0 1rem;overflow-wrap:anywhere}" +
  "h2{font-size:.8rem;margin:1.5rem 0 .25rem;opacity:.7}h3,h4,h5{margin:1rem 0 .25rem}h4,h5{font-size:1rem}" +
  ".plain,details>pre{white-space:pre-wrap}.you .plain{border-inline-start:3px solid;padding-inline-start:.75rem}" +
  "pre,code{font:13px/1.4 ui-monospace,monospace}pre{overflow-x:auto}section>pre,details>pre{border:1px solid #8886;border-radius:6px;padding:.5rem .75rem}" +
  "blockquote{margin:.5rem 0;border-inline-start:2px solid #8886;padding-inline-start:.75rem;opacity:.8}" +
  "table{border-collapse:collapse;display:block;overflow-x:auto}th,td{border:1px solid #8886;padding:.25rem .6rem;text-align:start;vertical-align:top}" +
  ".right{text-align:end}.center{text-align:center}.hidden{border:1px solid;border-radius:3px;padding:0 .15rem;font-size:.8em}" +
  "li:has(>input){list-style:none}li>input{margin-inline-start:-1.4em}details{margin:.5rem 0}summary span,.note,small,sup{opacity:.7}";
