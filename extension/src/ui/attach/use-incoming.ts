/**
 * "Ask Outrigger" on a page: taken by the panel of the window where it was chosen, whatever it shows, and by no other one.
 *
 * What was brought stands beside the message then, and the conversation is what the person sees.
 */
import { useEffect, useState } from "react";
import type { PanelClient } from "../../app/panel-client.ts";
import type { AppView, IncomingAsk } from "../../app/views.ts";
import { changeDraft, readDraft } from "../chat/drafts.ts";
import { readKept } from "../chat/use-kept-drafts.ts";
import { faultRefusal } from "../common/refusal-words.ts";
import { useSteady } from "../common/use-steady.ts";
import type { SaidReceipt } from "../panel/receipt-state.ts";
import { REFUSED, type SendIntent } from "../panel/use-intents.ts";
import { useVisible } from "../panel/use-visible.ts";
import { useText } from "../text/use-text.ts";

interface IncomingParts {
  client: PanelClient;
  app: AppView | null;
  session: string | null;
  send: SendIntent;
  show: (receipt: SaidReceipt) => void;
  toChat: () => void;
}

export function useIncoming({ client, app, session, send, show, toChat }: IncomingParts): void {
  const text = useText();
  const isVisible = useVisible();
  // Undefined: not known yet.
  const [here, setHere] = useState<number | null | undefined>(undefined);
  const newest = app?.incoming?.at(-1)?.id;
  useEffect(() => {
    let isCurrent = true;
    // A tab may have been moved to another window since.
    if (newest !== undefined) void client.window().then((window) => isCurrent && setHere(window));
    return () => {
      isCurrent = false;
    };
  }, [client, newest]);
  const ask = isVisible && here !== undefined ? app?.incoming?.find(({ window }) => window === null || here === null || window === here) : undefined;
  const take = useSteady(async ({ id, attachments, problem, profile }: IncomingAsk) => {
    const answer = await send("takeIncoming", { ask: id });
    if (answer === REFUSED || !answer.taken) return;
    // A panel that was opened by this does not know yet what waits to be sent, and another page may have gone on with it.
    await readKept(client, session);
    const before = readDraft(session).attachments;
    changeDraft(session, { attachments: [...before, ...attachments.filter((each) => !before.some((known) => known.id === each.id))] });
    if (problem !== null) show({ tone: "bad", ...faultRefusal(problem, text) });
    if (profile !== null) void send("selectProfile", { session, profile });
    toChat();
  });
  useEffect(() => {
    if (ask !== undefined) void take(ask);
    // Each is asked for once, by its id, whichever session is shown when it comes.
    // oxlint-disable-next-line react/exhaustive-deps, react/exhaustive-effect-dependencies
  }, [ask?.id, take]);
}
