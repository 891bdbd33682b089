/** Says that the browser lost what was stored, or that a session could not be written down. Nothing of it is ever silent. */
import { Button } from "../common/button.tsx";
import { classNames } from "../common/class-names.ts";
import { DayTime } from "../common/day-time.tsx";
import { FaultDetail } from "../common/fault-detail.tsx";
import { faultWords } from "../common/fault-words.ts";
import { Notice } from "../common/notice.tsx";
import { useText } from "../text/use-text.ts";
import type { Fault } from "../../agent/events.ts";
import type { AppView } from "../../app/views.ts";

interface StorageNoticeProps {
  /** Null: the engine has not answered yet. */
  app: AppView | null;
  /** Why it cannot. */
  shut: Fault | null;
  onNoted: () => void;
  /** Asks for what is stored, which opens what is shut. */
  onRetry: () => void;
}

const IS_SHUT: ReadonlySet<string> = new Set(["store_full", "store_shut"]);

export function StorageNotice({ app, shut, onNoted, onRetry }: StorageNoticeProps) {
  const text = useText();
  const { storage } = text;
  const storageLoss = app?.storageLoss;
  const storageFault = shut ?? app?.storageFault;
  const written = storageFault === undefined ? null : faultWords(storageFault, text);
  if (storageLoss === undefined && storageFault === undefined) return null;
  return (
    <div role="alert" className={classNames("space-y-2 overflow-y-auto p-2", app === null ? "min-h-0" : "max-h-2/5 shrink-0")} data-testid="storage-notice">
      {storageLoss && (
        <Notice
          tone="bad"
          title={storageLoss.isShut ? storage.shut : storage.lost}
          actions={!storageLoss.isShut && <Button data-testid="storage-noted" onClick={onNoted}>{storage.noted}</Button>}
        >
          {storageLoss.isShut ? storage.shutBody(storageLoss.sessions) : storage.lostBody(storageLoss.sessions)} {storage.since} <DayTime at={storageLoss.at} />
        </Notice>
      )}
      {written && <Notice tone="bad" title={written.title} actions={storageFault && IS_SHUT.has(storageFault.code) && <Button data-testid="storage-retry" onClick={onRetry}>{text.common.retry}</Button>}>{written.hint}<FaultDetail detail={written.detail} /></Notice>}
    </div>
  );
}
