/** What was decided for more than one call: rules, with what they let through, and the leases of this session. */
import { Plus } from "lucide-react";
import { AskedBody } from "../common/asked-body.tsx";
import { Button } from "../common/button.tsx";
import { Card } from "../common/card.tsx";
import { EmptyState } from "../common/empty-state.tsx";
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
  const [, page] = (place.part ?? "").split("/");
  if (page !== undefined) {
    const done = () => {
      rules.reload();
      go({ part: "rules" }, place);
    };
    if (page === "new") return <RuleForm rule={null} onDone={done} />;
    return (
      <AskedBody asked={rules}>
        {(value) => {
          const rule = value.rules.find(({ id }) => id === page);
          return rule === undefined ? <EmptyState title={words.gone}><Button onClick={done}>{text.common.back}</Button></EmptyState> : <RuleForm key={page} rule={rule} onDone={done} />;
        }}
      </AskedBody>
    );
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
