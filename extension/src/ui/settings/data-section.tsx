/** What is kept in this browser, for how long, what it cost, and the way to be rid of it. */
import { type ReactNode, useState } from "react";
import { formatBytes } from "../../lib/format-bytes.ts";
import { AskedBody } from "../common/asked-body.tsx";
import { Button } from "../common/button.tsx";
import { Card } from "../common/card.tsx";
import { FactList } from "../common/fact-list.tsx";
import { NumberField } from "../common/number-field.tsx";
import { CheckField } from "../common/check-field.tsx";
import { saveFile } from "../common/save-file.ts";
import { SureButton } from "../common/sure-button.tsx";
import { EraseSheet } from "./erase-sheet.tsx";
import { usePanel } from "../panel/panel-context.ts";
import { useAsked } from "../panel/use-asked.ts";
import { REFUSED } from "../panel/use-intents.ts";
import { useText } from "../text/use-text.ts";

/** The engine's own, for when a limit is wanted again. */
const USUAL_MIB = 500;
const LEAST_MIB = 16;

export function DataSection() {
  const text = useText();
  const words = text.settings.data;
  const { app, go, send, show } = usePanel();
  const [isErasing, setErasing] = useState(false);
  const use = useAsked("storageUse", {});
  const kept = app.settings?.retentionMiB;
  const retain = async (retentionMiB: number | null) => {
    if (retentionMiB !== null && retentionMiB < LEAST_MIB) return;
    if ((await send("saveSettings", { change: { retentionMiB } })) !== REFUSED) show({ tone: "good", message: words.retentionSaved });
  };
  const persist = async () => {
    const done = await send("persistStorage", {});
    if (done === REFUSED) return;
    show({ tone: done.persisted ? "good" : "bad", message: done.persisted ? words.persisted : words.notPersisted });
    use.reload();
  };
  const traces = async () => {
    const file = await send("exportTraces", {});
    if (file !== REFUSED) saveFile(file);
  };
  const erase = async (everything: boolean) => {
    setErasing(false);
    if ((await send("deleteAll", { everything })) === REFUSED) return;
    show({ tone: "good", message: everything ? words.allErased : words.sessionsErased });
    go({ screen: "chat", session: null });
  };
  return (
    <>
      <Card title={words.use}>
        <AskedBody asked={use}>
          {(value) => (
            <Framed>
              <FactList
                facts={[
                  { name: words.sessions, value: words.sessionsAre(value.sessions, formatBytes(value.sessionBytes, text.language.tag)) },
                  { name: words.browser, value: value.usedBytes === null ? words.unknown : value.quotaBytes === null ? formatBytes(value.usedBytes, text.language.tag) : words.of(formatBytes(value.usedBytes, text.language.tag), formatBytes(value.quotaBytes, text.language.tag)) },
                  { name: words.safe, value: value.persisted ? words.isSafe : words.isNotSafe },
                ]}
              />
              {!value.persisted && <div className="px-3 pb-2"><Button data-testid="persist" onClick={() => void persist()}>{words.persist}</Button></div>}
            </Framed>
          )}
        </AskedBody>
      </Card>
      <Card title={words.retention} hint={words.retentionHint}>
        <CheckField label={words.limited} testId="retention-on" checked={kept !== null} onChange={(on) => void retain(on ? USUAL_MIB : null)} />
        {kept !== null && <RetentionField key={kept} start={kept ?? USUAL_MIB} onSave={(value) => void retain(value)} />}
      </Card>
      <Card title={words.traces} hint={words.tracesHint} actions={<Button data-testid="traces-export" onClick={() => void traces()}>{words.tracesSave}</Button>} />
      <Card title={words.erase} hint={words.eraseHint}>
        <div className="flex flex-wrap gap-1.5">
          <SureButton data-testid="erase-sessions" sure={words.eraseSure} onSure={() => void erase(false)}>{words.eraseSessions}</SureButton>
          <Button weight="danger" data-testid="erase-all" onClick={() => setErasing(true)}>{words.eraseAll}</Button>
        </div>
        {isErasing && <EraseSheet onClose={() => setErasing(false)} onErase={() => void erase(true)} />}
      </Card>
    </>
  );
}

function Framed({ children }: { children: ReactNode }) {
  return <div className="rounded-lg border border-line bg-surface">{children}</div>;
}

function RetentionField({ start, onSave }: { start: number; onSave: (value: number | null) => void }) {
  const text = useText();
  const [value, setValue] = useState<number | null>(start);
  return (
    <div className="flex items-end gap-2">
      <div className="w-36"><NumberField label={text.settings.data.mib} testId="retention-mib" min={LEAST_MIB} value={value} onChange={setValue} /></div>
      <Button data-testid="retention-save" disabled={value === null || value === start} onClick={() => onSave(value)}>{text.common.save}</Button>
    </div>
  );
}
