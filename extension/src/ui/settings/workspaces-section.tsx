/** The folders the agent may work in: which there are, when each was used, and the way to one more or one less. */
import { Folder } from "lucide-react";
import { Badge } from "../common/badge.tsx";
import { Card } from "../common/card.tsx";
import { CheckField } from "../common/check-field.tsx";
import { FactsLine } from "../common/facts-line.tsx";
import { workspaceWords } from "../common/host-words.ts";
import { Row, Rows } from "../common/row.tsx";
import { SureButton } from "../common/sure-button.tsx";
import { TimeAgo } from "../common/time-ago.tsx";
import { VisibleText } from "../common/visible-text.tsx";
import { usePanel } from "../panel/panel-context.ts";
import { REFUSED } from "../panel/use-intents.ts";
import { useText } from "../text/use-text.ts";
import { AddWorkspace } from "../workspace/add-workspace.tsx";

export function WorkspacesSection() {
  const text = useText();
  const words = text.settings.workspaces;
  const { app, connection, send, show } = usePanel();
  const workspaces = app.workspaces ?? [];
  const remove = async (id: string) => {
    if ((await send("removeWorkspace", { workspace: id })) !== REFUSED) show({ tone: "good", message: words.removed(id) });
  };
  const strangers = app.settings?.strangerWorkspaces ?? [];
  const mark = async (id: string, isMarked: boolean) => {
    const others = strangers.filter((each) => each !== id);
    if ((await send("saveSettings", { change: { strangerWorkspaces: isMarked ? [...others, id] : others } })) !== REFUSED) show({ tone: "good", message: (isMarked ? words.strangersOn : words.strangersOff)(id) });
  };
  return (
    <Card title={words.title} hint={words.hint}>
      {workspaces.length > 0 && (
        <Rows label={words.title}>
          {workspaces.map((workspace) => {
            const used = app.recentWorkspaces?.find(({ id }) => id === workspace.id) ?? null;
            return (
              <Row
                key={workspace.id}
                testId="workspace-row"
                id={workspace.id}
                title={<span className="inline-flex items-center gap-1.5"><Folder aria-hidden size={13} className="text-soft" />{workspace.id}</span>}
                badges={<>{workspace.isDefault && <Badge tone="accent">{words.isDefault}</Badge>}{workspace.readOnly && <Badge>{text.workspace.readOnly}</Badge>}{!workspace.available && <Badge tone="bad">{text.workspace.gone}</Badge>}</>}
                hint={<><code dir="ltr"><VisibleText value={workspace.path} oneLine wraps /></code>{used && <FactsLine>{words.sessions(used.sessions)}<TimeAgo at={used.lastUsedAt} /></FactsLine>}{workspace.reason !== null && <span className="block text-bad">{workspaceWords(workspace.reason, text)}</span>}<div className="pt-1 text-ink"><CheckField label={words.strangers} hint={strangers.includes(workspace.id) && words.strangersHint} testId="workspace-strangers" checked={strangers.includes(workspace.id)} onChange={(isMarked) => void mark(workspace.id, isMarked)} /></div></>}
                actions={<SureButton weight="quiet" data-testid="workspace-remove" sure={words.removeSure} onSure={() => void remove(workspace.id)}>{words.remove}</SureButton>}
              />
            );
          })}
        </Rows>
      )}
      {connection.state === "connected" ? <AddWorkspace weight="primary" /> : <p className="text-xs text-soft">{words.needsHost}</p>}
    </Card>
  );
}
