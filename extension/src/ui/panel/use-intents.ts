/** Sends what the person wants to the engine, and says so when the engine will not. */
import { useMemo } from "react";
import type { Intents, IntentName } from "../../app/bus.ts";
import type { PanelClient } from "../../app/panel-client.ts";
import { useText } from "../text/use-text.ts";
import type { ReceiptState } from "./receipt-state.ts";

/** Resolves to null where the engine refused; the person has been told by then. */
export type SendIntent = <Name extends IntentName>(name: Name, params: Intents[Name]["params"]) => Promise<Intents[Name]["result"] | null>;

export function useIntents(client: PanelClient, show: (receipt: Omit<ReceiptState, "id">) => void): SendIntent {
  const text = useText();
  return useMemo<SendIntent>(
    () => async (name, params) => {
      try {
        return await client.send(name, params);
      } catch (error) {
        show({ tone: "bad", message: error instanceof Error ? error.message : text.common.refused });
        return null;
      }
    },
    [client, show, text],
  );
}
