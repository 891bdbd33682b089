/**
 * Escape stops the agent. While tools work, or something waits for the person, it asks once more: what is begun would be cut off,
 * and a key that leaves a part of the panel elsewhere is pressed by habit.
 */
import { useRef } from "react";
import type { SessionView } from "../../agent/session-view.ts";
import { useSteady } from "../common/use-steady.ts";
import { useEscape } from "../panel/use-escape.ts";
import { useText } from "../text/use-text.ts";
import type { Chat } from "./chat.ts";

/** As long as the words about it stand there. */
export const ASKED_MS = 6_000;

export function useStopKey(session: SessionView | null, { busy, show }: Pick<Chat, "busy" | "show">, stop: () => void): void {
  const text = useText();
  const asked = useRef<{ readonly turn: string; readonly at: number } | null>(null);
  const press = useSteady(() => {
    const turn = session?.turns.at(-1)?.message.id ?? "";
    const isAsked = asked.current?.turn === turn && Date.now() - asked.current.at < ASKED_MS;
    if (session !== null && !isAsked && isAtWork(session)) {
      asked.current = { turn, at: Date.now() };
      show({ tone: "good", message: text.composer.stopAgain });
      return;
    }
    asked.current = null;
    stop();
  });
  useEscape(busy ? press : null);
}

function isAtWork({ status, turns }: SessionView): boolean {
  return status === "needs_you" || (turns.at(-1)?.steps.at(-1)?.calls.some(({ state }) => state === "running") ?? false);
}
