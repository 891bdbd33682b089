/** The page behind the connection chip: the host that answered, or what is wrong. */
import { PlugZap } from "lucide-react";
import type { ConnectionView } from "../../app/views.ts";
import { FactList } from "../common/fact-list.tsx";
import { Spinner } from "../common/spinner.tsx";
import { useText } from "../text/use-text.ts";
import { ConnectionProblem } from "./connection-problem.tsx";

export function ConnectionDetails({ connection, onRetry }: { connection: ConnectionView; onRetry: () => void }) {
  const text = useText();
  const words = text.connection;
  switch (connection.state) {
    case "failed":
      return <ConnectionProblem fault={connection.fault} retryAt={connection.retryAt} onRetry={onRetry} />;
    case "connecting":
      return <p className="flex items-center gap-2 px-4 py-6 text-soft"><Spinner />{words.looking}</p>;
    case "idle":
      return <p className="px-4 py-6 text-soft">{words.idleHint}</p>;
    case "connected": {
      const { host } = connection;
      return (
        <section aria-label={words.details} className="mx-auto flex w-full max-w-120 flex-col gap-3 px-4 py-6">
          <PlugZap aria-hidden size={22} className="text-good" />
          <h2 className="text-lg font-semibold">{words.good}</h2>
          <div className="rounded-lg border border-line bg-surface">
          <FactList
            facts={[
              { name: words.host, value: words.hostVersion(host.version, host.build) },
              { name: words.protocol, value: String(host.protocol) },
              { name: words.process, value: String(host.pid) },
              { name: words.configuration, value: <code>{host.configPath}</code> },
            ]}
          />
          </div>
        </section>
      );
    }
  }
}
