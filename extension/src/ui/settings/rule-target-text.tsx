/** What a rule speaks of, in code where it is code. Nothing of it is ever cut short. */
import type { RuleTarget } from "../../wire/rule.ts";
import { VisibleText } from "../common/visible-text.tsx";
import { useText } from "../text/use-text.ts";
import { argsText } from "./rule-args.ts";

export function RuleTargetText({ target }: { target: RuleTarget }) {
  const text = useText();
  const words = text.settings.rules;
  const command = target.command === undefined ? null : `${target.command} ${argsText(target.args)}`.trimEnd();
  const parts: [name: string, value: string][] = [
    ...(command === null ? [] : ([["", command]] as [string, string][])),
    ...(target.path === undefined ? [] : ([[words.onPath, target.path]] as [string, string][])),
    ...(target.pattern === undefined ? [] : ([[words.matching, target.pattern]] as [string, string][])),
    ...(target.workspace === undefined ? [] : ([[words.inWorkspace, target.workspace]] as [string, string][])),
  ];
  return (
    <span className="text-xs">
      {target.tool === "*" ? words.everyTool : <code dir="ltr">{target.tool}</code>}
      {parts.map(([name, value]) => <span key={`${name} ${value}`}>{" "}<span className="font-normal text-soft">{name}</span>{name === "" ? "" : " "}<code dir="ltr" className="font-normal"><VisibleText value={value} oneLine /></code></span>)}
      {target.origin !== undefined && <span className="font-normal text-soft">{" "}{words.origins[target.origin]}</span>}
    </span>
  );
}
