/** Every session of this browser. */
import { ScreenBody } from "../common/screen-body.tsx";
import { useText } from "../text/use-text.ts";
import { History } from "./history.tsx";

export function HistoryScreen() {
  const text = useText();
  return (
    <ScreenBody label={text.header.screens.history} testId="history" still>
      <div className="mx-auto flex min-h-0 w-full max-w-180 flex-1 flex-col">
        <History />
      </div>
    </ScreenBody>
  );
}
