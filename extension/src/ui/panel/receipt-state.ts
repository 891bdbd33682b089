/**
 * The receipts on the screen. A good one takes the place of the good one before it, but not of one that can still be undone; what went
 * wrong stays until the person has done with it, or it is over.
 */
import type { Cause } from "./causes-of.ts";
import { useCallback, useMemo, useRef, useState } from "react";

export interface ReceiptState {
  id: number;
  /** When it was said: another screen that shows it shows it no longer for that. */
  at: number;
  message: string;
  /** What would help, or what was said exactly. */
  detail?: string;
  tone: "good" | "bad";
  undo?: () => void;
  /** What it would undo: after a further act on that, this way back is no more the right one. */
  about?: string;
  /** What that is called, where "Undo" would not say it. */
  undoLabel?: string;
  /** Of what went wrong: as soon as one of these is over, there is nothing left to say. */
  causes?: readonly Cause[];
  /** Runs when the receipt leaves without having been undone. */
  onGone?: () => void;
}

/** What is said, before it stands anywhere. */
export type SaidReceipt = Omit<ReceiptState, "id" | "at">;

/** The same said again is the same one; what can be undone is not, unless the next one is about the same thing. */
function isReplaced(shown: ReceiptState, made: SaidReceipt): boolean {
  if (shown.tone !== made.tone) return false;
  if (shown.tone === "bad") return shown.message === made.message;
  return shown.undo === undefined || (shown.about !== undefined && shown.about === made.about);
}

/** More at once would leave no room for what they are about. */
const MOST = 3;

/** What went wrong gives way last. */
function withinMost(all: readonly ReceiptState[]): readonly ReceiptState[] {
  if (all.length <= MOST) return all;
  const good = all.slice(0, -1).findIndex(({ tone }) => tone === "good");
  return withinMost(all.toSpliced(Math.max(good, 0), 1));
}

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
    (made: SaidReceipt) => {
      const others = current.current.filter((shown) => !isReplaced(shown, made));
      become(withinMost([...others, { ...made, id: nextId.current++, at: Date.now() }]));
    },
    [become],
  );
  const dismiss = useCallback((id: number) => become(current.current.filter((receipt) => receipt.id !== id)), [become]);
  const over = useCallback(
    (causes: readonly Cause[]) => {
      const left = current.current.filter((receipt) => receipt.causes?.some((cause) => causes.includes(cause)) !== true);
      if (left.length < current.current.length) become(left);
    },
    [become],
  );
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
  return useMemo(() => ({ receipts, isCovered: covers > 0, show, dismiss, over, undo, cover }), [receipts, covers, show, dismiss, over, undo, cover]);
}
