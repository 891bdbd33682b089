/** Model servers on this machine: looked for when asked, because the browser wants to be asked first. */
import { Radar } from "lucide-react";
import { useState } from "react";
import type { LocalServer } from "../../app/views.ts";
import { Button } from "../common/button.tsx";
import { Card } from "../common/card.tsx";
import { FactsLine } from "../common/facts-line.tsx";
import { Row, Rows } from "../common/row.tsx";
import { Spinner } from "../common/spinner.tsx";
import { emptyDraft } from "../models/model-draft.ts";
import { saveModel } from "../models/save-model.ts";
import { usePanel } from "../panel/panel-context.ts";
import { REFUSED } from "../panel/use-intents.ts";
import { useText } from "../text/use-text.ts";

type Found = "not_looked" | "looking" | "no_access" | readonly LocalServer[];

interface FoundServersProps {
  /** After one was added and chosen. */
  onAdded?: () => void;
}

export function FoundServers({ onAdded }: FoundServersProps) {
  const text = useText();
  const words = text.settings.found;
  const { app, client, send, show } = usePanel();
  const [found, setFound] = useState<Found>("not_looked");

  const look = async () => {
    const granted = client.requestOrigin("http://127.0.0.1");
    setFound("looking");
    if (!(await granted)) return setFound("no_access");
    const answer = await send("findLocalServers", {});
    setFound(answer === REFUSED ? "not_looked" : answer.servers);
  };
  const add = async (server: LocalServer, modelName: string) => {
    const saved = await saveModel(client, emptyDraft({ baseUrl: server.baseUrl, modelName }), null, text);
    if ("failure" in saved) return show({ tone: "bad", message: saved.failure });
    await send("selectModel", { session: null, model: saved.model });
    show({ tone: "good", message: text.settings.models.saved(modelName) });
    onAdded?.();
  };

  return (
    <Card title={words.title} hint={words.hint} testId="found-servers" actions={<Button data-testid="find-servers" icon={<Radar aria-hidden size={14} />} disabled={found === "looking"} onClick={() => void look()}>{words.look}</Button>}>
      {found === "looking" && <p className="flex items-center gap-2 text-xs text-soft"><Spinner />{words.looking}</p>}
      {found === "no_access" && <output className="text-xs text-warn">{words.noAccess}</output>}
      {Array.isArray(found) && (found.length === 0 ? <output className="text-xs text-soft">{words.none}</output> : found.map((server: LocalServer) => (
        <div key={server.baseUrl} className="flex min-w-0 flex-col gap-1">
          <h3 className="text-xs text-soft"><FactsLine>{server.name}<code dir="ltr">{server.baseUrl}</code></FactsLine></h3>
          <Rows label={server.name}>
            {server.models.length === 0 && <Row title={words.noModels} />}
            {server.models.map((name) => {
              const isThere = app.models.some((model) => model.baseUrl === server.baseUrl && model.modelName === name);
              return <Row key={name} testId="found-model" id={name} title={name} actions={<Button weight="quiet" disabled={isThere} onClick={() => void add(server, name)}>{isThere ? words.isThere : words.add}</Button>} />;
            })}
          </Rows>
        </div>
      )))}
    </Card>
  );
}
