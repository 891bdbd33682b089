/** What was decided for more than one call: rules, with what they let through, and the leases of this session. */
import { Plus } from "lucide-react";
import { AskedBody } from "../common/asked-body.tsx";
import { Button } from "../common/button.tsx";
import { Card } from "../common/card.tsx";
import { Rows } from "../common/row.tsx";
import { usePanel } from "../panel/panel-context.ts";
import { useAsked } from "../panel/use-asked.ts";
import { useText } from "../text/use-text.ts";
import { LeasesCard } from "./leases-card.tsx";
import { RuleForm } from "./rule-form.tsx";
import { RuleRow } from "./rule-row.tsx";

export function RulesSection() {
  const text = useText();
  const words = text.settings.rules;
  const { place, go, sessionId } = usePanel();
  const rules = useAsked("listRules", { session: sessionId });
  if (place.part === "rules/new") {
    return <RuleForm onDone={() => { rules.reload(); go({ part: "rules" }, place); }} />;
  }
  return (
    <>
      <Card title={words.title} hint={words.hint} actions={<Button weight="primary" icon={<Plus aria-hidden size={14} />} data-testid="rule-add" onClick={() => go({ part: "rules/new" })}>{words.add}</Button>}>
        <AskedBody asked={rules}>
          {(value) => (value.rules.length === 0 ? <p className="rounded-lg border border-line bg-surface px-3 py-2 text-xs text-soft">{words.none}</p> : <Rows label={words.title}>{value.rules.map((rule) => <RuleRow key={rule.id} rule={rule} onRevoked={rules.reload} />)}</Rows>)}
        </AskedBody>
      </Card>
      <LeasesCard />
    </>
  );
}
