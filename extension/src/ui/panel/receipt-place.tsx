/**
 * Where receipts stand: at the lower end of what is shown. Over the conversation nothing moves when they come or go: what asks for
 * permission keeps its buttons under the hand that reaches for them, and uncovered, for the receipts go out of their way.
 */
import { createContext, useCallback, useContext, useEffect, useRef } from "react";
import { Receipt } from "../common/receipt.tsx";
import { Still } from "../common/still.tsx";
import { useText } from "../text/use-text.ts";
import type { useReceipts } from "./receipt-state.ts";
import { useFittingReceipts } from "./fitting-receipts.ts";
import { useFloating } from "./use-floating.ts";

export const ReceiptContext = createContext<ReturnType<typeof useReceipts> | null>(null);

/**
 * `over` what is asked and answered there; `below` a screen that asks nothing, with room of its own, so that it covers no button of a
 * form; in a `sheet` while one is open: what lies under it can be neither read nor pressed.
 */
type Where = "over" | "below" | "sheet";

const LOOK: Record<Where, string> = {
  over: "absolute inset-x-3 bottom-full z-20",
  below: "mx-auto w-full max-w-180 shrink-0 px-3 pb-2",
  sheet: "fixed inset-x-3 bottom-2 z-20 mx-auto max-w-120",
};

export function ReceiptPlace({ where = "over" }: { where?: Where }) {
  const text = useText();
  const place = useContext(ReceiptContext);
  const cover = place?.cover;
  const bar = useRef<HTMLDivElement>(null);
  const inSheet = where === "sheet";
  const isShown = place !== null && (inSheet || !place.isCovered);
  const receipts = isShown ? place.receipts : [];
  useEffect(() => (inSheet ? cover?.() : undefined), [inSheet, cover]);
  const room = useCallback(() => (inSheet ? (bar.current?.closest("[role=dialog]") ?? null) : document.querySelector("main")), [inSheet]);
  const height = useCallback(() => (where === "over" ? heightAbove(bar.current) : window.innerHeight), [where]);
  useFittingReceipts(bar, height);
  useFloating(bar, where === "below" ? 0 : receipts.length, room);
  if (!place || receipts.length === 0) return null;
  return (
    <Still box={bar} floats data-region={receipts.some(({ undo, tone }) => undo || tone === "bad") || undefined} className={`pointer-events-none flex flex-col gap-1.5 *:pointer-events-auto ${LOOK[where]}`}>
      {receipts.map(({ id, at, tone, message, detail, undo, undoLabel }) => (
        <Receipt key={id} at={at} tone={tone} message={message} detail={detail} action={undo ? { label: undoLabel ?? text.common.undo, run: () => place.undo(id) } : undefined} onGone={() => place.dismiss(id)} />
      ))}
    </Still>
  );
}

/** What lies between the upper end of the screen and the place they stand on. */
function heightAbove(bar: HTMLElement | null): number {
  const top = bar?.closest("main")?.getBoundingClientRect().top ?? 0;
  return (bar?.parentElement?.getBoundingClientRect().top ?? window.innerHeight) - top;
}
