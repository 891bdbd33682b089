/** While there is only the demo model: what it is, and the ways to one that thinks. */
import { Plus } from "lucide-react";
import { Button } from "../common/button.tsx";
import { FoundServers } from "../settings/found-servers.tsx";
import { usePanel } from "../panel/panel-context.ts";
import { useText } from "../text/use-text.ts";

export function ModelStep() {
  const text = useText();
  const words = text.firstRun;
  const { app, go } = usePanel();
  if (app.models.some(({ kind }) => kind !== "demo")) return null;
  return (
    <div data-testid="model-step" className="mt-6 flex flex-col gap-3 border-t border-line pt-4">
      <p className="text-xs text-soft">{words.demo}</p>
      <FoundServers />
      <div><Button data-testid="first-model" icon={<Plus aria-hidden size={14} />} onClick={() => go({ screen: "settings", part: "models/first" })}>{words.addModel}</Button></div>
    </div>
  );
}
