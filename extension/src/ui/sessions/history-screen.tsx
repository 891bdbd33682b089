/** Every session of this browser. */
import { ScreenBody } from "../common/screen-body.tsx";
import { useText } from "../text/use-text.ts";
import { History } from "./history.tsx";

export function HistoryScreen() {
  const text = useText();
  return (
    <ScreenBody label={text.header.screens.history} testId="history" still>
      <History />
    </ScreenBody>
  );
}
