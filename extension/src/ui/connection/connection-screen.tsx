/** How the link to the host stands, and what can be done about it. */
import { ScreenBody } from "../common/screen-body.tsx";
import { usePanel } from "../panel/panel-context.ts";
import { useText } from "../text/use-text.ts";
import { ConnectionDetails } from "./connection-details.tsx";

export function ConnectionScreen() {
  const text = useText();
  const { connection, send } = usePanel();
  return (
    <ScreenBody label={text.header.screens.connection} testId="connection-screen" wide>
      <ConnectionDetails connection={connection} onRetry={() => void send("retryConnection", {})} />
    </ScreenBody>
  );
}
