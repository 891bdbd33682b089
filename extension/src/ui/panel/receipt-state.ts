/** The receipts on the screen. A good one takes the place of the good one before it; what went wrong stays until the person has done with it. */
import { useCallback, useMemo, useRef, useState } from "react";

export interface ReceiptState {
  id: number;
  message: string;
  /** What would help, or what was said exactly. */
  detail?: string;
  tone: "good" | "bad";
  undo?: () => void;
  /** What that is called, where "Undo" would not say it. */
  undoLabel?: string;
  /** Runs when the receipt leaves without having been undone. */
  onGone?: () => void;
}

/** More at once would leave no room for what they are about. */
const MOST = 3;

export function useReceipts() {
  const [receipts, setReceipts] = useState<readonly ReceiptState[]>([]);
  const [covers, setCovers] = useState(0);
  const current = useRef<readonly ReceiptState[]>([]);
  const nextId = useRef(1);
  const become = useCallback((next: readonly ReceiptState[], undone: ReceiptState | null = null) => {
    const gone = current.current.filter((receipt) => receipt !== undone && !next.includes(receipt));
    current.current = next;
    setReceipts(next);
    for (const receipt of gone) receipt.onGone?.();
  }, []);
  const show = useCallback(
    (made: Omit<ReceiptState, "id">) => {
      // The same said again is the same one.
      const others = current.current.filter(({ tone, message }) => !(tone === made.tone && (tone === "good" || message === made.message)));
      become([...others, { ...made, id: nextId.current++ }].slice(-MOST));
    },
    [become],
  );
  const dismiss = useCallback((id: number) => become(current.current.filter((receipt) => receipt.id !== id)), [become]);
  const undo = useCallback(
    (id: number) => {
      const undone = current.current.find((receipt) => receipt.id === id);
      if (!undone) return;
      become(current.current.filter((receipt) => receipt !== undone), undone);
      undone.undo?.();
    },
    [become],
  );
  const cover = useCallback(() => {
    setCovers((count) => count + 1);
    return () => setCovers((count) => count - 1);
  }, []);
  return useMemo(() => ({ receipts, isCovered: covers > 0, show, dismiss, undo, cover }), [receipts, covers, show, dismiss, undo, cover]);
}
