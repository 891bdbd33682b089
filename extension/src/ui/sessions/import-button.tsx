/** Takes a session in from a file that was exported before. */
import { Upload } from "lucide-react";
import { type ChangeEvent, useRef } from "react";
import { IconButton } from "../common/icon-button.tsx";
import { usePanel } from "../panel/panel-context.ts";
import { REFUSED } from "../panel/use-intents.ts";
import { useText } from "../text/use-text.ts";

export function ImportButton() {
  const text = useText();
  const { go, send, show } = usePanel();
  const field = useRef<HTMLInputElement>(null);
  const take = async (event: ChangeEvent<HTMLInputElement>) => {
    const file = event.target.files?.[0];
    event.target.value = "";
    if (!file) return;
    const imported = await send("importSession", { json: await file.text() });
    if (imported === REFUSED) return;
    show({ tone: "good", message: text.sessions.imported(imported.dropped) });
    go({ screen: "chat", session: imported.session });
  };
  return (
    <>
      <IconButton label={text.sessions.import} data-testid="session-import" icon={<Upload size={15} />} onClick={() => field.current?.click()} />
      <input ref={field} type="file" accept="application/json,.json" data-testid="import-file" aria-hidden tabIndex={-1} className="hidden" onChange={(event) => void take(event)} />
    </>
  );
}
