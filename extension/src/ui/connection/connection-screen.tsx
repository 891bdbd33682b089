/** How the link to the host stands, step by step, what can be done about it, and the doctor's checks. */
import { Card } from "../common/card.tsx";
import { FactList } from "../common/fact-list.tsx";
import { ScreenBody } from "../common/screen-body.tsx";
import { VisibleText } from "../common/visible-text.tsx";
import { usePanel } from "../panel/panel-context.ts";
import { useText } from "../text/use-text.ts";
import { ConnectionProblem } from "./connection-problem.tsx";
import { ConnectionState } from "./connection-state.tsx";
import { DoctorCard } from "./doctor-card.tsx";
import { StepList } from "./step-list.tsx";

export function ConnectionScreen() {
  const text = useText();
  const words = text.connection;
  const { connection, send } = usePanel();
  return (
    <ScreenBody label={text.header.screens.connection} testId="connection-screen">
      {connection.state === "failed" ? (
        <ConnectionProblem plain fault={connection.fault} retryAt={connection.retryAt} onRetry={() => void send("retryConnection", {})} />
      ) : (
        <ConnectionState state={connection.state} />
      )}
      <StepList connection={connection} />
      {connection.state === "connected" && (
        <Card title={words.host}>
          <div className="rounded-lg border border-line bg-surface">
            <FactList
              facts={[
                { name: words.version, value: words.hostVersion(connection.host.version, connection.host.build) },
                { name: words.protocol, value: String(connection.host.protocol) },
                { name: words.process, value: String(connection.host.pid) },
                { name: words.configuration, value: <code dir="ltr"><VisibleText value={connection.host.configPath} oneLine wraps /></code> },
              ]}
            />
          </div>
        </Card>
      )}
      <DoctorCard isConnected={connection.state === "connected"} />
    </ScreenBody>
  );
}
