/** A short word after an act ("Server added"), with a way back where there is one. It leaves by itself. */
import { Check, TriangleAlert } from "lucide-react";
import { useEffect } from "react";
import { Button } from "./button.tsx";

/** Time to read a line and reach for Undo. */
export const RECEIPT_MS = 6000;

interface ReceiptProps {
  message: string;
  detail?: string | undefined;
  tone?: "good" | "bad";
  action?: { label: string; run: () => void } | undefined;
  onGone: () => void;
}

export function Receipt({ message, detail, tone = "good", action, onGone }: ReceiptProps) {
  useEffect(() => {
    const timer = setTimeout(onGone, RECEIPT_MS);
    return () => clearTimeout(timer);
  }, [onGone]);
  return (
    <div
      role={tone === "good" ? "status" : "alert"}
      data-testid="receipt"
      className="flex items-center gap-2 rounded-lg border border-line bg-surface py-1 pe-1 ps-3"
    >
      {tone === "good" ? <Check aria-hidden size={14} className="shrink-0 text-good" /> : <TriangleAlert aria-hidden size={14} className="shrink-0 text-bad" />}
      <span className="min-w-0 flex-1 py-1">{message}{detail !== undefined && <span className="block text-xs text-soft">{detail}</span>}</span>
      {action ? (
        <Button weight="quiet" onClick={action.run}>
          {action.label}
        </Button>
      ) : null}
    </div>
  );
}
