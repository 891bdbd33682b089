/** Says which sessions will go because they fill more than is allowed, before they do. */
import { Button } from "../common/button.tsx";
import { DayTime } from "../common/day-time.tsx";
import { Disclosure } from "../common/disclosure.tsx";
import { Notice } from "../common/notice.tsx";
import { usePanel } from "../panel/panel-context.ts";
import { useText } from "../text/use-text.ts";

export function RetentionNote({ onLater }: { /** In the frame of the panel, where it can be put away. */ onLater?: () => void }) {
  const text = useText();
  const words = text.sessions;
  const { app, go, send } = usePanel();
  const notice = app.retention ?? null;
  if (notice === null) return null;
  const keep = () => {
    for (const { id } of notice.sessions) void send("pinSession", { session: id, pinned: true });
  };
  return (
    <div className="shrink-0 px-2 pb-2" data-testid="retention-note">
      <Notice
        tone="warn"
        title={words.retention(notice.sessions.length)}
        actions={
          <>
            <Button data-testid="retention-keep" onClick={keep}>{words.keepThem}</Button>
            <Button weight="quiet" onClick={() => void send("cleanNow", {})}>{words.cleanNow}</Button>
            {onLater && <Button weight="quiet" data-testid="retention-later" onClick={onLater}>{words.retentionLater}</Button>}
            <Button weight="quiet" onClick={() => go({ screen: "settings", part: "data" })}>{words.retentionSettings}</Button>
          </>
        }
      >
        {words.retentionWhen} <DayTime at={notice.at} />
        <Disclosure summary={words.whichOnes}><ul className="list-inside list-disc">{notice.sessions.map(({ id, title }) => <li key={id}>{title || text.header.untitled}</li>)}</ul></Disclosure>
      </Notice>
    </div>
  );
}
