/** A short word after an act ("Server added"), with a way back where there is one. A good one leaves by itself, but not from under a hand. */
import { Check, TriangleAlert, X } from "lucide-react";
import { type PointerEvent, useEffect, useState } from "react";
import { useText } from "../text/use-text.ts";
import { Button } from "./button.tsx";
import { IconButton } from "./icon-button.tsx";
import { useSteady } from "./use-steady.ts";

/** Time to read a line and reach for Undo. */
export const RECEIPT_MS = 6000;

interface ReceiptProps {
  /** When it was said. */
  at: number;
  message: string;
  detail?: string | undefined;
  tone?: "good" | "bad";
  action?: { label: string; run: () => void } | undefined;
  onGone: () => void;
}

export function Receipt({ at, message, detail, tone = "good", action, onGone }: ReceiptProps) {
  const text = useText();
  const [isUnderHand, setUnderHand] = useState(false);
  const [isFocused, setFocused] = useState(false);
  const isHeld = isUnderHand || isFocused;
  const leave = useSteady(onGone);
  const stays = tone === "bad" || isHeld;
  // Let go, it has its whole time again.
  const [since, setSince] = useState(at);
  useEffect(() => {
    if (stays) return;
    const timer = setTimeout(leave, Math.max(0, since + RECEIPT_MS - Date.now()));
    return () => clearTimeout(timer);
  }, [stays, since, leave]);
  const letGo = (set: (held: boolean) => void) => {
    set(false);
    setSince(Date.now());
  };
  // A hand that comes to it; one that rests where it appears has not come.
  const onPointerMove = ({ movementX, movementY }: PointerEvent) => {
    if (movementX !== 0 || movementY !== 0) setUnderHand(true);
  };
  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- nothing is done by it: only the time stands still.
    <div data-held={isHeld || undefined} onPointerMove={onPointerMove} onPointerLeave={() => letGo(setUnderHand)} onFocus={() => setFocused(true)} onBlur={() => letGo(setFocused)}>
      <div
        role={tone === "good" ? "status" : "alert"}
        data-testid="receipt"
        data-tone={tone}
        className="flex items-end gap-2 rounded-lg border border-line bg-surface py-1 pe-1 ps-3 shadow-float"
      >
        {tone === "good" ? <Check aria-hidden size={14} className="mt-1.5 shrink-0 self-start text-good" /> : <TriangleAlert aria-hidden size={14} className="mt-1.5 shrink-0 self-start text-bad" />}
        {/* What is long shows its beginning; under the hand or with the focus, all of it. It grows upwards: the buttons stay where they are. */}
        <span className="min-w-0 flex-1 py-1"><span className={isHeld ? "block max-h-40 overflow-y-auto" : "line-clamp-3"}>{message}{detail !== undefined && <span className="block text-xs text-soft">{detail}</span>}</span></span>
        {action ? (
          <Button weight="quiet" onClick={action.run}>
            {action.label}
          </Button>
        ) : null}
        {tone === "bad" && <IconButton label={text.common.close} data-testid="receipt-close" icon={<X size={13} />} onClick={onGone} />}
      </div>
    </div>
  );
}
