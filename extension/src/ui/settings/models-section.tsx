/** Models, the keys that open them, and the servers that were found on this machine. */
import { usePanel } from "../panel/panel-context.ts";
import { FoundServers } from "./found-servers.tsx";
import { HelperModels } from "./helper-models.tsx";
import { KeysCard } from "./keys-card.tsx";
import { ModelPage } from "./model-page.tsx";
import { ModelList } from "./model-list.tsx";

export function ModelsSection() {
  const { place, app } = usePanel();
  const [, page] = (place.part ?? "").split("/");
  if (page !== undefined) return <ModelPage key={page} id={page} />;
  return (
    <>
      <ModelList />
      <HelperModels />
      <FoundServers />
      <KeysCard state={app.keys ?? "plain"} />
    </>
  );
}
