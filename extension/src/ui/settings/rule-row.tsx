/** One rule: what it speaks of, what it does, how far it reaches, how often it decided, and the ways to change it and to take it back. */
import { Pencil } from "lucide-react";
import type { Rule, RuleEffect } from "../../wire/rule.ts";
import { Badge, type Tone } from "../common/badge.tsx";
import { DayTime } from "../common/day-time.tsx";
import { FactsLine } from "../common/facts-line.tsx";
import { IconButton } from "../common/icon-button.tsx";
import { Row } from "../common/row.tsx";
import { SureButton } from "../common/sure-button.tsx";
import { TimeAgo } from "../common/time-ago.tsx";
import { usePanel } from "../panel/panel-context.ts";
import { REFUSED } from "../panel/use-intents.ts";
import { useText } from "../text/use-text.ts";
import { RuleTargetText } from "./rule-target-text.tsx";

const tones: Record<RuleEffect, Tone> = { allow: "good", ask: "warn", deny: "bad" };

export function RuleRow({ rule, onRevoked }: { rule: Rule; onRevoked: () => void }) {
  const text = useText();
  const words = text.settings.rules;
  const { sessionId, go, send, show } = usePanel();
  const revoke = async () => {
    if ((await send("revokeRule", { session: sessionId, rule: rule.id })) === REFUSED) return;
    show({ tone: "good", message: words.revoked(rule.uses) });
    onRevoked();
  };
  return (
    <Row
      testId="rule-row"
      id={rule.id}
      title={<RuleTargetText target={rule.target} />}
      badges={<><Badge tone={tones[rule.effect]}>{words.effects[rule.effect]}</Badge><Badge>{words.scopes[rule.scope]}</Badge></>}
      hint={<FactsLine><>{words.uses(rule.uses)}{rule.lastUsedAt !== null && <>, <TimeAgo at={rule.lastUsedAt} /></>}</>{rule.createdAt > 0 && <>{words.made} <DayTime at={rule.createdAt} /></>}</FactsLine>}
      actions={
        <>
          <IconButton label={words.change} data-testid="rule-change" icon={<Pencil size={14} />} onClick={() => go({ part: `rules/${rule.id}` })} />
          <SureButton data-testid="rule-revoke" weight="quiet" sure={words.revokeSure} onSure={() => void revoke()}>{words.revoke}</SureButton>
        </>
      }
    />
  );
}
