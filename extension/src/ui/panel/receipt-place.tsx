/** Where receipts stand: over the upper edge of the conversation, where nothing waits to be clicked. */
import { Receipt } from "../common/receipt.tsx";
import { useText } from "../text/use-text.ts";
import type { ReceiptState } from "./receipt-state.ts";

interface ReceiptPlaceProps {
  receipt: ReceiptState | null;
  onGone: () => void;
  onUndo: () => void;
}

export function ReceiptPlace({ receipt, onGone, onUndo }: ReceiptPlaceProps) {
  const text = useText();
  if (!receipt) return null;
  return (
    <div className="absolute inset-x-3 top-20 z-20 mx-auto max-w-100">
      <Receipt key={receipt.id} tone={receipt.tone} message={receipt.message} detail={receipt.detail} action={receipt.undo ? { label: text.common.undo, run: onUndo } : undefined} onGone={onGone} />
    </div>
  );
}
