/**
 * Where receipts stand: over the lower end of what is shown, and nothing moves when they come or go. What asks for permission keeps
 * its buttons under the hand that reaches for them, and uncovered: the receipts go out of their way.
 */
import { createContext, useCallback, useContext, useEffect, useRef } from "react";
import { Receipt } from "../common/receipt.tsx";
import { useText } from "../text/use-text.ts";
import type { useReceipts } from "./receipt-state.ts";
import { useFloating } from "./use-floating.ts";

export const ReceiptContext = createContext<ReturnType<typeof useReceipts> | null>(null);

/** `inSheet`: while a sheet is open what lies under it can be neither read nor pressed, so they stand in the sheet. */
export function ReceiptPlace({ inSheet = false }: { inSheet?: boolean }) {
  const text = useText();
  const place = useContext(ReceiptContext);
  const cover = place?.cover;
  const bar = useRef<HTMLDivElement>(null);
  const isShown = place !== null && (inSheet || !place.isCovered);
  const receipts = isShown ? place.receipts : [];
  useEffect(() => (inSheet ? cover?.() : undefined), [inSheet, cover]);
  const room = useCallback(() => (inSheet ? (bar.current?.closest("[role=dialog]") ?? null) : document.querySelector("main")), [inSheet]);
  useFloating(bar, receipts.length, room);
  if (!place || receipts.length === 0) return null;
  return (
    <div ref={bar} data-region={receipts.some(({ undo, tone }) => undo || tone === "bad") || undefined} className={`pointer-events-none z-20 flex flex-col gap-1.5 *:pointer-events-auto ${inSheet ? "fixed inset-x-3 bottom-2 mx-auto max-w-120" : "absolute inset-x-3 bottom-full"}`}>
      {receipts.map(({ id, tone, message, detail, undo, undoLabel }) => (
        <Receipt key={id} tone={tone} message={message} detail={detail} action={undo ? { label: undoLabel ?? text.common.undo, run: () => place.undo(id) } : undefined} onGone={() => place.dismiss(id)} />
      ))}
    </div>
  );
}
