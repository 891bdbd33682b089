/** Sends what the person wants to the engine, and says so when the engine will not. */
import { useMemo } from "react";
import type { Intents, IntentName } from "../../app/bus.ts";
import { IntentRefused, type PanelClient } from "../../app/panel-client.ts";
import { faultWords } from "../common/fault-words.ts";
import type { Catalogue } from "../text/catalogue.ts";
import { useText } from "../text/use-text.ts";
import type { ReceiptState } from "./receipt-state.ts";

/** In the place of a result: the engine would not, and the person has been told. Null is an ordinary result. */
export const REFUSED = Symbol("refused");

export type SendIntent = <Name extends IntentName>(name: Name, params: Intents[Name]["params"]) => Promise<Intents[Name]["result"] | typeof REFUSED>;

function words(error: unknown, text: Catalogue): { message: string; detail?: string } {
  if (!(error instanceof IntentRefused)) return { message: error instanceof Error ? error.message : text.common.refused };
  const { title, hint, detail } = faultWords(error.fault, text);
  const more = [detail, hint].filter((part) => part !== null).join(" ");
  return more === "" ? { message: title } : { message: title, detail: more };
}

export function useIntents(client: PanelClient, show: (receipt: Omit<ReceiptState, "id">) => void): SendIntent {
  const text = useText();
  return useMemo<SendIntent>(
    () => async (name, params) => {
      try {
        return await client.send(name, params);
      } catch (error) {
        show({ tone: "bad", ...words(error, text) });
        return REFUSED;
      }
    },
    [client, show, text],
  );
}
