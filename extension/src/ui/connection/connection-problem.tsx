/** What stands between the panel and the host, with its number, and exactly what to do about it. */
import { Unplug } from "lucide-react";
import type { ConnectionFault } from "../../app/views.ts";
import { Button } from "../common/button.tsx";
import { classNames } from "../common/class-names.ts";
import { CodeBlock } from "../common/code-block.tsx";
import { CommandLine } from "../common/command-line.tsx";
import { Disclosure } from "../common/disclosure.tsx";
import { isWindows } from "../common/is-windows.ts";
import { Spinner } from "../common/spinner.tsx";
import { VisibleText } from "../common/visible-text.tsx";
import { useText } from "../text/use-text.ts";

/** Where the fault names what the reader must know: which versions, which line of which file. */
const HAS_FACTS: ReadonlySet<string> = new Set(["version_skew", "config_invalid"]);

/** In the folder that was unpacked; and in the folder of the source. */
const FROM_ARCHIVE = { windows: ".\\install.cmd", other: "./install.sh" };
const FROM_SOURCE = "cargo install --path . && outrigger install";

interface ConnectionProblemProps {
  fault: ConnectionFault;
  retryAt: number | null;
  /** Part of a page that has its own margins. */
  plain?: boolean;
  onRetry: () => void;
}

export function ConnectionProblem({ fault, retryAt, plain = false, onRetry }: ConnectionProblemProps) {
  const text = useText();
  const words = text.connection;
  const known = Object.hasOwn(words.faults, fault.code) ? words.faults[fault.code as keyof typeof words.faults] : null;
  // Of a version or a file the host's own words have the facts.
  const detail = HAS_FACTS.has(fault.code) ? `${fault.detail ?? fault.message}\n${fault.hint}` : fault.detail;
  return (
    <section data-testid="connection-problem" data-reason={fault.reason} data-code={fault.code} aria-label={words.title} className={classNames("flex w-full flex-col gap-4", !plain && "mx-auto max-w-120 px-4 py-6")}>
      <div>
        <Unplug aria-hidden size={22} className="text-bad" />
        <h2 className="mt-3 text-lg font-semibold">{words.title}</h2>
        <p className="mt-1"><VisibleText value={known?.message ?? fault.message} /></p>
      </div>
      <div className="flex flex-col gap-1.5">
        <p className="text-sm"><VisibleText value={known?.hint ?? fault.hint} /></p>
        {fault.command !== null && <CommandLine command={fault.command} />}
      </div>
      {fault.code === "host_not_found" && (
        <Disclosure summary={words.unknownCommand}>
          <div className="flex flex-col gap-1.5 pb-1 text-xs text-soft">
            <p>{words.fromArchive}</p>
            <CommandLine command={isWindows() ? FROM_ARCHIVE.windows : FROM_ARCHIVE.other} />
            <p>{words.fromSource}</p>
            <CommandLine command={FROM_SOURCE} />
          </div>
        </Disclosure>
      )}
      {detail !== null && (
        <Disclosure summary={HAS_FACTS.has(fault.code) ? text.faults.original : words.detail} startsOpen={HAS_FACTS.has(fault.code)}><CodeBlock code={detail} wraps /></Disclosure>
      )}
      <div className="flex flex-col gap-2 border-t border-line pt-3">
        {retryAt === null ? (
          <p className="text-xs text-soft">{words.stopped}</p>
        ) : (
          <p className="flex items-start gap-2 text-xs text-soft"><Spinner />{words.noticed}</p>
        )}
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1"><Button data-testid="connection-retry" weight={retryAt === null ? "primary" : "plain"} onClick={onRetry}>{text.common.retry}</Button><span className="text-2xs text-soft">{words.reason(fault.reason)} · <code>{fault.code}</code></span></div>
      </div>
    </section>
  );
}
