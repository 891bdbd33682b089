/** What a rule speaks of, as a person reads it: the tool, then all that narrows it. */
import { quoteArgument } from "../../lib/quote-argument.ts";
import type { RuleTarget } from "../../wire/rule.ts";
import { VisibleText } from "../common/visible-text.tsx";
import { useText } from "../text/use-text.ts";

export function RuleWords({ target }: { target: RuleTarget }) {
  const text = useText();
  const command = target.command === undefined ? null : [target.command, ...(target.args ?? []).map(quoteArgument)].join(" ");
  return (
    <span className="min-w-0 break-words">
      <code>{target.tool === "*" ? text.cards.everything : target.tool}</code>
      {command !== null && <> <code className="break-all"><VisibleText value={command} oneLine /></code></>}
      {target.command !== undefined && target.args === undefined && <span className="text-soft"> {text.cards.anyArguments}</span>}
      {target.path !== undefined && <> <code className="break-all"><VisibleText value={target.path} oneLine /></code></>}
      {target.pattern !== undefined && <> <code className="break-all"><VisibleText value={`/${target.pattern}/`} oneLine /></code></>}
      {target.workspace !== undefined && <span className="text-soft"> {text.cards.inWorkspace(target.workspace)}</span>}
      {target.origin !== undefined && <span className="text-soft"> {text.settings.rules.origins[target.origin]}</span>}
    </span>
  );
}
