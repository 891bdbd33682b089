/** The checks of one browser, or of what they share: those that need someone first in sight, the rest behind one line. */
import { Check, Minus, TriangleAlert, X } from "lucide-react";
import type { ReactNode } from "react";
import type { DoctorCheck } from "../../wire/errands.ts";
import { Badge } from "../common/badge.tsx";
import { CodedText } from "../common/coded-text.tsx";
import { CommandLine } from "../common/command-line.tsx";
import { Disclosure } from "../common/disclosure.tsx";
import { checkWords } from "../common/host-words.ts";
import { useText } from "../text/use-text.ts";

const icons: Record<DoctorCheck["verdict"], ReactNode> = {
  ok: <Check aria-hidden size={13} className="text-good" />,
  warning: <TriangleAlert aria-hidden size={13} className="text-warn" />,
  problem: <X aria-hidden size={13} className="text-bad" />,
  not_checked: <Minus aria-hidden size={13} className="text-soft" />,
};

interface CheckListProps {
  title: string;
  checks: readonly DoctorCheck[];
  startsOpen: boolean;
}

export function CheckList({ title, checks, startsOpen }: CheckListProps) {
  const text = useText();
  const words = text.connection.doctor;
  const count = (wanted: DoctorCheck["verdict"]) => checks.filter(({ verdict }) => verdict === wanted).length;
  const [problems, unchecked] = [count("problem"), count("not_checked")];
  const sum = problems > 0 ? <Badge tone="bad">{words.problems(problems)}</Badge>
    : unchecked > 0 ? <Badge tone="warn">{words.unchecked(unchecked)}</Badge>
    : <Badge tone="good">{words.good(checks.length)}</Badge>;
  return (
    <div className="rounded-lg border border-line bg-surface px-3 py-1">
      <Disclosure startsOpen={startsOpen} summary={<><span className="min-w-0 flex-1 text-sm font-medium text-ink">{title}</span>{sum}</>}>
        <ul className="flex flex-col gap-1.5 py-1.5">
          {checks.map((check) => (
            <li key={`${check.id} ${check.message}`} data-testid="doctor-check" data-id={check.id} data-verdict={check.verdict} className="flex items-start gap-2 text-xs">
              <span className="mt-0.5 inline-flex w-4 shrink-0 justify-center" title={words.verdicts[check.verdict]}>{icons[check.verdict]}<span className="sr-only">{words.verdicts[check.verdict]}</span></span>
              <div className="flex min-w-0 flex-1 flex-col gap-1">
                <CheckTitle check={check} />
                {check.verdict !== "ok" && check.evidence && <p className="text-soft"><CodedText value={check.evidence} /></p>}
                {check.advice && <p className="text-soft"><CodedText value={check.advice} /></p>}
                {check.fix && <CommandLine command={check.fix} />}
              </div>
            </li>
          ))}
        </ul>
      </Disclosure>
    </div>
  );
}

/** What was looked at, in the reader's language; then the host's own sentence with its facts. */
function CheckTitle({ check }: { check: DoctorCheck }) {
  const name = checkWords(check.id, useText());
  if (name === null) return <p><CodedText value={check.message} /></p>;
  return (
    <>
      <p>{name}</p>
      <p lang="en" className="text-soft"><CodedText value={check.message} /></p>
    </>
  );
}
