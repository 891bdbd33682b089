/** How the link to the host stands. Green comes from a completed hello and from nothing else. */
import type { ConnectionView } from "../../app/views.ts";
import { classNames } from "../common/class-names.ts";
import { useText } from "../text/use-text.ts";

const dots: Record<ConnectionView["state"], string> = {
  idle: "border border-edge",
  connecting: "animate-breathe bg-accent",
  connected: "bg-good",
  failed: "bg-bad",
};

export function ConnectionChip({ connection, current = false, onOpen }: { connection: ConnectionView; current?: boolean; onOpen: () => void }) {
  const text = useText();
  const word = text.connection.states[connection.state];
  return (
    <button
      type="button"
      data-testid="connection-status"
      data-state={connection.state}
      aria-label={text.connection.label(word)}
      title={text.connection.label(word)}
      onClick={onOpen}
      aria-current={current ? "page" : undefined}
      className="inline-flex h-7 shrink-0 items-center gap-1.5 rounded-md px-2 text-xs text-soft hover:bg-sunken hover:text-ink aria-[current]:bg-sunken aria-[current]:text-ink"
    >
      <span aria-hidden data-dot className={classNames("size-2 rounded-full", dots[connection.state])} />
      <span className={connection.state === "connected" ? "hidden min-[420px]:inline" : "tiny:sr-only"}>{word}</span>
    </button>
  );
}
