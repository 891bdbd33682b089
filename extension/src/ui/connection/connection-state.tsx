/** A link that is good, or not needed yet, in one line. */
import { PlugZap, Unplug } from "lucide-react";
import type { ConnectionView } from "../../app/views.ts";
import { Spinner } from "../common/spinner.tsx";
import { useText } from "../text/use-text.ts";

export function ConnectionState({ state }: { state: Exclude<ConnectionView["state"], "failed"> }) {
  const text = useText();
  const words = text.connection;
  const icons = { connected: <PlugZap aria-hidden size={20} className="text-good" />, connecting: <Spinner size={18} />, idle: <Unplug aria-hidden size={20} className="text-soft" /> };
  const titles = { connected: words.good, connecting: words.looking, idle: words.states.idle };
  return (
    <section aria-label={words.details} data-testid="connection-state" data-state={state} className="flex items-start gap-2.5">
      <span className="mt-0.5">{icons[state]}</span>
      <div>
        <h2 className="text-lg font-semibold">{titles[state]}</h2>
        {state === "idle" && <p className="text-xs text-soft">{words.idleHint}</p>}
      </div>
    </section>
  );
}
