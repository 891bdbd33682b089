/**
 * What every part of the conversation may reach: whose session it is, and the ways to tell the engine something.
 *
 * Handed down by context, so that a card deep in the transcript needs no chain of props, and so that the conversation of a sub-agent
 * inside another one is drawn by the same parts with its own session.
 */
import { createContext, useContext } from "react";
import type { SessionOrigin } from "../../agent/events.ts";
import type { UndoWhat } from "../../app/branches.ts";
import type { PanelClient } from "../../app/panel-client.ts";
import type { ContextPage } from "../context/context-sheet.tsx";
import type { SaidReceipt } from "../panel/receipt-state.ts";
import type { SendIntent } from "../panel/use-intents.ts";
import type { UndoWay } from "../turns/undo-way.ts";

/** What can be open over the conversation. */
export type ChatSheetState =
  | { readonly kind: "undo"; readonly turn: string; readonly direction: UndoWay; readonly what: UndoWhat; /** Of these files alone. */ readonly paths?: readonly string[] }
  | { readonly kind: "tree" }
  | { readonly kind: "children" }
  | { readonly kind: "attachment"; readonly attachment: string }
  | { readonly kind: "page"; readonly what: "page" | "selection" }
  /** Null begins a thread; with a question, at once. */
  | { readonly kind: "side"; readonly session: string | null; readonly question: string }
  | { readonly kind: "context"; readonly page: ContextPage };

export interface Chat {
  /** Null: nothing was said yet. */
  session: string | null;
  /** What began it: another session, a schedule, or null where a person did. */
  origin: SessionOrigin | null;
  /** A turn runs or waits: what would change the conversation has to wait. */
  busy: boolean;
  client: PanelClient;
  /** Says so by itself where the engine will not. */
  send: SendIntent;
  show: (receipt: SaidReceipt) => void;
  /** Shows another session, or with null a new one. */
  open: (session: string | null) => void;
  openSheet: (sheet: ChatSheetState) => void;
}

export const ChatContext = createContext<Chat | null>(null);

/** Null: a part that is drawn by itself, as in a test; it shows, and offers nothing. */
export function useChat(): Chat | null {
  return useContext(ChatContext);
}
