/** How keys are kept: as they are, or sealed with a passphrase, open or locked. */
import { KeyRound, Lock, LockOpen } from "lucide-react";
import { type FormEvent, useState } from "react";
import type { KeyState } from "../../app/views.ts";
import { Badge, type Tone } from "../common/badge.tsx";
import { Button } from "../common/button.tsx";
import { Card } from "../common/card.tsx";
import { focusOnMount } from "../common/focus-on-mount.ts";
import { TextField } from "../common/text-field.tsx";
import { usePanel } from "../panel/panel-context.ts";
import { REFUSED } from "../panel/use-intents.ts";
import { useText } from "../text/use-text.ts";

type Act = "setPassphrase" | "unlockKeys" | "removePassphrase";

const tones: Record<KeyState, Tone> = { plain: "neutral", unlocked: "good", locked: "warn" };

/** The engine refuses less. */
const LEAST = 8;

export function KeysCard({ state }: { state: KeyState }) {
  const text = useText();
  const words = text.settings.keys;
  const { send, show } = usePanel();
  const [asks, setAsks] = useState<Act | null>(null);
  const act = asks ?? (state === "locked" ? "unlockKeys" : null);
  const run = async (passphrase: string) => {
    if (act === null || (await send(act, { passphrase })) === REFUSED) return false;
    show({ tone: "good", message: words.done[act] });
    setAsks(null);
    return true;
  };
  const lock = async () => {
    if ((await send("lockKeys", {})) !== REFUSED) show({ tone: "good", message: words.done.lockKeys });
  };
  return (
    <Card title={words.title} hint={words.hints[state]} testId="keys-card" actions={<Badge tone={tones[state]} icon={state === "locked" ? <Lock aria-hidden size={10} /> : <LockOpen aria-hidden size={10} />}>{words.states[state]}</Badge>}>
      {act !== null && <PassphraseForm key={act} act={act} onRun={run} onCancel={state === "locked" ? null : () => setAsks(null)} />}
      {act === null && (
        <div className="flex flex-wrap gap-1.5">
          <Button icon={<KeyRound aria-hidden size={14} />} data-testid="passphrase-set" onClick={() => setAsks("setPassphrase")}>{state === "plain" ? words.set : words.change}</Button>
          {state === "unlocked" && <Button data-testid="keys-lock" onClick={() => void lock()}>{words.lock}</Button>}
          {state === "unlocked" && <Button weight="quiet" data-testid="passphrase-remove" onClick={() => setAsks("removePassphrase")}>{words.remove}</Button>}
        </div>
      )}
    </Card>
  );
}

interface PassphraseFormProps {
  act: Act;
  onRun: (passphrase: string) => Promise<boolean>;
  onCancel: (() => void) | null;
}

function PassphraseForm({ act, onRun, onCancel }: PassphraseFormProps) {
  const text = useText();
  const words = text.settings.keys;
  const [passphrase, setPassphrase] = useState("");
  const [again, setAgain] = useState("");
  const [busy, setBusy] = useState(false);
  const isNew = act === "setPassphrase";
  const differs = isNew && again !== "" && again !== passphrase;
  const usable = !busy && (isNew ? passphrase.length >= LEAST && again === passphrase : passphrase !== "");
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!usable) return;
    setBusy(true);
    if (!(await onRun(passphrase))) setBusy(false);
  };
  return (
    <form onSubmit={(event) => void submit(event)} className="flex flex-col gap-3 rounded-lg border border-line bg-surface p-3">
      <TextField ref={onCancel ? focusOnMount : undefined} label={words.passphrase} data-testid="passphrase" type="password" autoComplete={isNew ? "new-password" : "current-password"} value={passphrase} onChange={(event) => setPassphrase(event.target.value)} hint={isNew ? words.long : undefined} />
      {isNew && <TextField label={words.again} data-testid="passphrase-again" type="password" autoComplete="new-password" value={again} onChange={(event) => setAgain(event.target.value)} error={differs ? words.differs : undefined} />}
      {isNew && <p className="text-xs text-soft">{words.warning}</p>}
      <div className="flex gap-1.5">
        <Button type="submit" weight="primary" data-testid="passphrase-do" disabled={!usable}>{busy ? words.working : words.acts[act]}</Button>
        {onCancel && <Button weight="quiet" data-testid="passphrase-cancel" onClick={onCancel}>{text.common.cancel}</Button>}
      </div>
    </form>
  );
}
