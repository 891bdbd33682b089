/** The doctor's checks: every step of the way, for each browser, with the command that mends what is wrong. */
import { Stethoscope } from "lucide-react";
import { useState } from "react";
import type { WireDoctor } from "../../wire/errands.ts";
import { Button } from "../common/button.tsx";
import { Card } from "../common/card.tsx";
import { CommandLine } from "../common/command-line.tsx";
import { CopyButton } from "../common/copy-button.tsx";
import { Spinner } from "../common/spinner.tsx";
import { usePanel } from "../panel/panel-context.ts";
import { REFUSED } from "../panel/use-intents.ts";
import { useText } from "../text/use-text.ts";
import { CheckList } from "./check-list.tsx";

export function DoctorCard({ isConnected }: { isConnected: boolean }) {
  const text = useText();
  const words = text.connection.doctor;
  const { send } = usePanel();
  const [found, setFound] = useState<WireDoctor | "looking" | null>(null);
  const look = async () => {
    setFound("looking");
    const answer = await send("runDoctor", { report: true });
    setFound(answer === REFUSED ? null : answer);
  };
  const done = found === "looking" ? null : found;
  return (
    <Card
      title={words.title}
      hint={words.hint}
      testId="doctor"
      actions={isConnected && <Button data-testid="doctor-run" icon={<Stethoscope aria-hidden size={14} />} disabled={found === "looking"} onClick={() => void look()}>{done ? words.again : words.run}</Button>}
    >
      {!isConnected && <><p className="text-xs text-soft">{words.byHand}</p><CommandLine command={words.command} /></>}
      {found === "looking" && <p className="flex items-center gap-2 text-xs text-soft"><Spinner />{words.looking}</p>}
      {done && (
        <div className="flex flex-col gap-3" data-testid="doctor-result" data-ok={done.ok}>
          <output className={done.ok ? "text-xs text-good" : "text-xs text-bad"}>{done.ok ? words.allWell : words.notWell}</output>
          {done.browsers.map((browser) => <CheckList key={browser.browser} title={browser.name} checks={browser.checks} startsOpen={!browser.ok} />)}
          <CheckList title={words.general} checks={done.general} startsOpen={done.general.some(({ verdict }) => verdict === "problem")} />
          {done.report && <p className="flex items-center gap-1 text-xs text-soft"><span className="min-w-0 flex-1">{words.report}</span><CopyButton value={done.report} label={words.copyReport} /></p>}
        </div>
      )}
    </Card>
  );
}
