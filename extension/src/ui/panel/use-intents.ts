/** Sends what the person wants to the engine, and says so when the engine will not; done after all, that is no longer said. */
import { useMemo } from "react";
import type { Intents, IntentName } from "../../app/bus.ts";
import type { PanelClient } from "../../app/panel-client.ts";
import { refusalWords } from "../common/refusal-words.ts";
import { useText } from "../text/use-text.ts";
import { type Cause, causesOf, overWith } from "./causes-of.ts";
import type { SaidReceipt } from "./receipt-state.ts";

/** In the place of a result: the engine would not, and the person has been told. Null is an ordinary result. */
export const REFUSED = Symbol("refused");

export type SendIntent = <Name extends IntentName>(name: Name, params: Intents[Name]["params"]) => Promise<Intents[Name]["result"] | typeof REFUSED>;

export function useIntents(client: PanelClient, show: (receipt: SaidReceipt) => void, over: (causes: readonly Cause[]) => void): SendIntent {
  const text = useText();
  return useMemo<SendIntent>(
    () => async (name, params) => {
      try {
        const result = await client.send(name, params);
        over(overWith(name, params));
        return result;
      } catch (error) {
        show({ tone: "bad", ...refusalWords(error, text), causes: causesOf(name, params, error) });
        return REFUSED;
      }
    },
    [client, show, over, text],
  );
}
