/** A rule made by hand or changed, with what it would have matched among the last calls of this session. */
import { type FormEvent, useEffect, useState } from "react";
import { splitArguments } from "../../lib/quote-argument.ts";
import { faultOfTarget, RULE_EFFECTS, RULE_SCOPES, type Rule, type RuleEffect, type RuleScope, type RuleTarget } from "../../wire/rule.ts";
import { actWords } from "../approvals/plan-words.ts";
import { Button } from "../common/button.tsx";
import { classNames } from "../common/class-names.ts";
import { Segments } from "../common/segments.tsx";
import { SelectField } from "../common/select-field.tsx";
import { TextField } from "../common/text-field.tsx";
import { VisibleText } from "../common/visible-text.tsx";
import { usePanel } from "../panel/panel-context.ts";
import { REFUSED } from "../panel/use-intents.ts";
import { useText } from "../text/use-text.ts";
import { EXAMPLES } from "./examples.ts";
import { ANY_ARGS, argsText } from "./rule-args.ts";

/** Typing is waited for. */
const PREVIEW_MS = 300;

/** With `rule`: another in its place. */
export function RuleForm({ rule, onDone }: { rule: Rule | null; onDone: () => void }) {
  const text = useText();
  const words = text.settings.rules;
  const { app, sessionId, send, show } = usePanel();
  const [effect, setEffect] = useState<RuleEffect>(rule?.effect ?? "ask");
  const [scope, setScope] = useState<RuleScope>(rule?.scope ?? "always");
  const [fields, setFields] = useState(() => fieldsOf(rule?.target));
  const set = (name: keyof typeof fields) => (event: { target: { value: string } }) => setFields({ ...fields, [name]: event.target.value });
  const target = targetOf(fields);
  const wrong = target === null ? null : faultOfTarget(target);
  const openQuote = fields.command !== "" && splitArguments(fields.args) === null;
  const fault = openQuote ? words.openQuote : wrong === null ? null : words.faults[wrong.code](wrong.what);
  const isAboutArgs = openQuote || wrong?.code === "rest_not_last" || wrong?.code === "args_without_command";
  const matched = usePreview(target !== null && fault === null ? target : null, effect, sessionId);

  const save = async (event: FormEvent) => {
    event.preventDefault();
    if (target === null || fault !== null) return;
    const isOfSession = scope === "turn" || scope === "session";
    const draft = { effect, scope, target };
    const answer = rule === null ? await send("addRule", { session: isOfSession ? sessionId : null, rule: draft }) : await send("changeRule", { session: sessionId, rule: rule.id, to: draft });
    if (answer === REFUSED) return;
    show({ tone: "good", message: rule === null ? words.added : words.changed });
    onDone();
  };
  return (
    <form onSubmit={(event) => void save(event)} data-testid="rule-form" className="flex flex-col gap-4">
      <Segments label={words.effect} testId="rule-effect" value={effect} choices={RULE_EFFECTS.map((value) => ({ value, title: words.effects[value] }))} onChoose={setEffect} />
      <TextField label={words.tool} data-testid="rule-tool" dir="ltr" spellCheck={false} value={fields.tool} placeholder={EXAMPLES.tool} onChange={set("tool")} hint={words.toolHint} required />
      <TextField label={words.path} data-testid="rule-path" dir="ltr" spellCheck={false} value={fields.path} placeholder={EXAMPLES.path} onChange={set("path")} hint={words.pathHint} error={wrong?.code === "no_glob" ? (fault ?? undefined) : undefined} />
      <div className="grid grid-cols-2 gap-3">
        <TextField label={words.command} data-testid="rule-command" dir="ltr" spellCheck={false} value={fields.command} placeholder={EXAMPLES.command} onChange={set("command")} />
        <TextField label={words.args} data-testid="rule-args" dir="ltr" spellCheck={false} value={fields.args} placeholder={EXAMPLES.args} onChange={set("args")} disabled={fields.command === ""} aria-describedby="rule-args-note" aria-invalid={isAboutArgs} />
      </div>
      {fields.command !== "" && <p id="rule-args-note" className={isAboutArgs ? "-mt-3 text-xs text-bad" : "-mt-3 text-xs text-soft"}>{isAboutArgs ? fault : words.argsHint}</p>}
      <TextField label={words.pattern} data-testid="rule-pattern" dir="ltr" spellCheck={false} value={fields.pattern} onChange={set("pattern")} hint={words.patternHint} error={wrong?.code === "no_expression" || wrong?.code === "slow_expression" ? (fault ?? undefined) : undefined} />
      <div className="grid grid-cols-2 gap-3">
        <SelectField label={text.workspace.label} testId="rule-workspace" value={fields.workspace} choices={[{ value: "", title: words.anyWorkspace }, ...[...new Set([...(app.workspaces ?? []).map(({ id }) => id), ...(rule?.target.workspace === undefined ? [] : [rule.target.workspace])])].map((id) => ({ value: id, title: id }))]} onChoose={(workspace) => setFields({ ...fields, workspace })} />
        <SelectField label={words.origin} testId="rule-origin" value={fields.origin} choices={[{ value: "", title: words.anyOrigin }, ...(["session", "schedule", "subagent"] as const).map((value) => ({ value: value as string, title: words.origins[value] }))]} onChoose={(origin) => setFields({ ...fields, origin })} />
      </div>
      <Segments label={words.scope} testId="rule-scope" value={scope} choices={RULE_SCOPES.filter((value) => value === rule?.scope || (value !== "turn" && (value !== "session" || sessionId !== null))).map((value) => ({ value, title: words.scopes[value] }))} onChoose={setScope} />
      {/* It takes its room before there is anything to show: the buttons below do not move away from a hand. */}
      <div className={classNames("rounded-lg border border-line bg-surface px-3 py-2", matched === null && "invisible")} data-testid={matched === null ? undefined : "rule-preview"}>
        <p className="text-xs font-medium">{words.preview(matched?.length ?? 0)}</p>
        {matched !== null && matched.length > 0 && (
          <ul className="mt-1 list-inside list-disc text-xs text-soft">{matched.map(({ call, summary }) => <li key={call} className="break-words"><VisibleText value={actWords(summary, text)} oneLine /></li>)}</ul>
        )}
      </div>
      <div className="flex gap-1.5">
        <Button type="submit" weight="primary" data-testid="rule-save" disabled={target === null || fault !== null}>{rule === null ? words.save : text.common.save}</Button>
        <Button weight="quiet" onClick={onDone}>{text.common.cancel}</Button>
      </div>
    </form>
  );
}

function fieldsOf(target: RuleTarget | undefined) {
  const { tool = "", path = "", command = "", pattern = "", workspace = "", origin = "" } = target ?? { tool: "" };
  return { tool, path, command, args: argsText(target?.args), pattern, workspace, origin };
}

/** What is left empty is not asked for. Null: not even a tool. */
function targetOf({ tool, path, command, args, pattern, workspace, origin }: Record<"tool" | "path" | "command" | "args" | "pattern" | "workspace" | "origin", string>): RuleTarget | null {
  if (tool.trim() === "") return null;
  return {
    tool: tool.trim(),
    ...(path.trim() === "" ? {} : { path: path.trim() }),
    ...(command.trim() === "" ? {} : { command: command.trim() }),
    ...(command.trim() === "" || args.trim() === ANY_ARGS ? {} : { args: splitArguments(args) ?? [] }),
    ...(pattern === "" ? {} : { pattern }),
    ...(workspace === "" ? {} : { workspace }),
    ...(origin === "" ? {} : { origin: origin as NonNullable<RuleTarget["origin"]> }),
  };
}

type Matched = readonly { readonly call: string; readonly summary: string }[];

/** Null: there is nothing to ask about, or the answer is not there yet. */
function usePreview(target: RuleTarget | null, effect: RuleEffect, session: string | null): Matched | null {
  const { client } = usePanel();
  const [answer, setAnswer] = useState<{ key: string; matched: Matched } | null>(null);
  const key = target === null || session === null ? null : JSON.stringify([session, target, effect]);
  useEffect(() => {
    if (key === null) return;
    let isCurrent = true;
    const [asked, about, how] = JSON.parse(key) as [string, RuleTarget, RuleEffect];
    const timer = setTimeout(() => {
      client.send("previewRule", { session: asked, target: about, effect: how }).then(
        ({ alsoMatches }) => isCurrent && setAnswer({ key, matched: alsoMatches }),
        () => isCurrent && setAnswer(null),
      );
    }, PREVIEW_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [client, key]);
  return answer !== null && answer.key === key ? answer.matched : null;
}
