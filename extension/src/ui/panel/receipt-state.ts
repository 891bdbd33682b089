/** The one receipt on the screen, if any. A new one takes the place of the old. */
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

export function useReceipt() {
  const [receipt, setReceipt] = useState<ReceiptState | null>(null);
  const current = useRef<ReceiptState | null>(null);
  const nextId = useRef(1);
  const leave = useCallback((next: ReceiptState | null) => {
    const gone = current.current;
    current.current = next;
    setReceipt(next);
    gone?.onGone?.();
  }, []);
  const show = useCallback((made: Omit<ReceiptState, "id">) => leave({ ...made, id: nextId.current++ }), [leave]);
  const dismiss = useCallback(() => leave(null), [leave]);
  const undo = useCallback(() => {
    const undone = current.current;
    current.current = null;
    setReceipt(null);
    undone?.undo?.();
  }, []);
  return useMemo(() => ({ receipt, show, dismiss, undo }), [receipt, show, dismiss, undo]);
}
