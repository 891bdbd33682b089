/** What every screen of the panel may reach: the engine's picture, the ways to tell it something, and the ways elsewhere. */
import { createContext, useContext } from "react";
import type { SessionView } from "../../agent/session-view.ts";
import type { PanelClient } from "../../app/panel-client.ts";
import type { AppView, ConnectionView, SessionSummary } from "../../app/views.ts";
import type { Place } from "./place.ts";
import type { SaidReceipt } from "./receipt-state.ts";
import type { SendIntent } from "./use-intents.ts";
import type { Go } from "./use-place.ts";

export interface PanelContextValue {
  readonly client: PanelClient;
  readonly app: AppView;
  readonly connection: ConnectionView;
  readonly sessions: readonly SessionSummary[];
  readonly sessionId: string | null;
  readonly session: SessionView | null;
  /** The session of `sessionId` is not there. */
  readonly isGone: boolean;
  readonly place: Place;
  readonly go: Go;
  /** Says so by itself where the engine will not. */
  readonly send: SendIntent;
  readonly show: (receipt: SaidReceipt) => void;
  readonly deleteSession: (session: SessionSummary) => void;
}

export const PanelContext = createContext<PanelContextValue | null>(null);

export function usePanel(): PanelContextValue {
  const panel = useContext(PanelContext);
  if (panel === null) throw new Error("a screen stands outside the panel");
  return panel;
}
