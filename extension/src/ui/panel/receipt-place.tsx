/**
 * Where receipts stand: in the flow, at the lower end of what is shown. They take room for a moment and cover nothing:
 * what lies under a card that floats cannot be pressed, and an approval's buttons must always be.
 */
import { createContext, useContext } from "react";
import { Receipt } from "../common/receipt.tsx";
import { useText } from "../text/use-text.ts";
import type { useReceipt } from "./receipt-state.ts";

export const ReceiptContext = createContext<ReturnType<typeof useReceipt> | null>(null);

export function ReceiptPlace() {
  const text = useText();
  const receipts = useContext(ReceiptContext);
  if (!receipts?.receipt) return null;
  const { id, tone, message, detail, undo, undoLabel } = receipts.receipt;
  return <Receipt key={id} tone={tone} message={message} detail={detail} action={undo ? { label: undoLabel ?? text.common.undo, run: receipts.undo } : undefined} onGone={receipts.dismiss} />;
}
