/**
 * Where receipts stand: in the flow, at the lower end of what is shown. They take room for a moment and cover nothing:
 * what lies under a card that floats cannot be pressed, and an approval's buttons must always be.
 */
import { createContext, useContext, useEffect } from "react";
import { Receipt } from "../common/receipt.tsx";
import { useText } from "../text/use-text.ts";
import type { useReceipts } from "./receipt-state.ts";

export const ReceiptContext = createContext<ReturnType<typeof useReceipts> | null>(null);

/** `inSheet`: while a sheet is open what lies under it can be neither read nor pressed, so they stand in the sheet. */
export function ReceiptPlace({ inSheet = false }: { inSheet?: boolean }) {
  const text = useText();
  const place = useContext(ReceiptContext);
  const cover = place?.cover;
  useEffect(() => (inSheet ? cover?.() : undefined), [inSheet, cover]);
  if (!place || place.receipts.length === 0 || (place.isCovered && !inSheet)) return null;
  return (
    <div className="flex flex-col gap-1.5">
      {place.receipts.map(({ id, tone, message, detail, undo, undoLabel }) => (
        <Receipt key={id} tone={tone} message={message} detail={detail} action={undo ? { label: undoLabel ?? text.common.undo, run: () => place.undo(id) } : undefined} onGone={() => place.dismiss(id)} />
      ))}
    </div>
  );
}
