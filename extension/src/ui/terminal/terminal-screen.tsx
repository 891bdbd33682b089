/** Every command of the session, the newest last, live. */
import { SquareTerminal } from "lucide-react";
import { useCallback, useMemo, useRef } from "react";
import { EmptyState } from "../common/empty-state.tsx";
import { ScreenBody } from "../common/screen-body.tsx";
import { useFollowEnd } from "../common/use-follow-end.ts";
import { usePanel } from "../panel/panel-context.ts";
import { REFUSED } from "../panel/use-intents.ts";
import { useText } from "../text/use-text.ts";
import { CommandBlock } from "./command-block.tsx";
import { commandsIn } from "./outcome-of.ts";
import { useJobs } from "./use-jobs.ts";

/** More than these are shown shut: what one comes for is the end. */
const OPEN_AT_END = 3;

export function TerminalScreen() {
  const text = useText();
  const { client, session, send, show } = usePanel();
  const begun = useMemo(() => (session ? commandsIn(session) : []), [session]);
  const box = useRef<HTMLDivElement>(null);
  useFollowEnd(box);
  const id = session?.id ?? null;
  const commands = useJobs(client, begun);
  const kill = useCallback(
    async (call: string) => {
      if (id !== null && (await send("killCommand", { session: id, call })) !== REFUSED) show({ tone: "good", message: text.terminal.killAsked });
    },
    [id, send, show, text],
  );
  return (
    <ScreenBody label={text.header.screens.terminal} testId="terminal" still>
      {commands.length === 0 ? (
        <EmptyState icon={<SquareTerminal aria-hidden size={22} />} title={text.terminal.none}>{text.terminal.noneHint}</EmptyState>
      ) : (
        <div ref={box} className="flex min-h-0 flex-1 flex-col gap-2 overflow-y-auto px-3 py-3">
          {commands.map((command, place) => (
            <CommandBlock key={command.call} command={command} startsOpen={place >= commands.length - OPEN_AT_END} onKill={(call) => void kill(call)} />
          ))}
        </div>
      )}
    </ScreenBody>
  );
}
