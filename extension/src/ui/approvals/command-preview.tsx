/** The command as it will run: program, each argument on its line, and what surrounds it. */
import { TriangleAlert } from "lucide-react";
import { quoteArgument } from "../../lib/quote-argument.ts";
import type { Preview } from "../../wire/plan.ts";
import { formatDuration } from "../common/format-duration.ts";
import { CodedText } from "../common/coded-text.tsx";
import { isPassedOn, sandboxWords } from "../common/host-words.ts";
import { VisibleText } from "../common/visible-text.tsx";
import { useText } from "../text/use-text.ts";
import { type Fact, FactList } from "../common/fact-list.tsx";

type Command = Extract<Preview, { kind: "command" }>;

export function CommandPreview({ command }: { command: Command }) {
  const text = useText();
  const words = text.approval.command;
  const environment = Object.entries(command.environment);
  const sandbox = sandboxWords(command.sandbox, text, [command.network ? "openNetwork" : "noNetwork", ...(command.can_read_blocked ? (["reads"] as const) : [])]);
  const facts: Fact[] = [
    { name: words.folder, value: <code>{command.workdir === "." ? words.workspaceRoot : <VisibleText value={command.workdir} oneLine />}</code> },
    { name: words.network, value: command.network ? <span className="font-medium text-warn">{words.on}</span> : words.off },
    { name: words.sandbox, value: <ul className="flex flex-col gap-0.5">{sandbox.map((line) => <li key={line}><CodedText value={line} /></li>)}</ul> },
    { name: words.timeout, value: formatDuration(command.timeout_ms, text) },
    ...(environment.length > 0 ? [{ name: words.environment, value: environment.map(([name, value]) => (isPassedOn(value) ? <span key={name} className="block break-all"><code><VisibleText value={name} oneLine /></code> <span className="text-soft">{words.passedOn}</span></span> : <code key={name} className="block break-all"><VisibleText value={`${name}=${quoteArgument(value)}`} oneLine /></code>)) }] : []),
  ];
  return (
    <div>
      <ol className="flex flex-col bg-sunken px-3 py-2 font-mono text-xs" aria-label={`${words.program}, ${words.arguments}`}>
        <li className="font-medium break-all"><VisibleText value={command.program} oneLine /></li>
        {typeof command.program_real === "string" && <li className="ps-4 break-all text-soft">→ <VisibleText value={command.program_real} oneLine /></li>}
        {command.args.map((argument, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- an argument is its place and its text, and the list never changes.
          <li key={`${index} ${argument}`} className="ps-4 break-all whitespace-pre-wrap"><VisibleText value={quoteArgument(argument)} oneLine /></li>
        ))}
      </ol>
      <FactList facts={facts} />
      {command.can_read_blocked && (
        <p className="flex items-start gap-1.5 px-3 pb-2 text-xs text-warn">
          <TriangleAlert aria-hidden size={12} className="mt-0.5 shrink-0" />
          {words.blockedReadable}
        </p>
      )}
    </div>
  );
}
