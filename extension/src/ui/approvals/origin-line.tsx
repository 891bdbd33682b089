/** Over Allow: the address that the browser must let us read for this, and that it would not. */
import { Globe } from "lucide-react";
import { VisibleText } from "../common/visible-text.tsx";
import { useText } from "../text/use-text.ts";
import type { Origins } from "./use-origins.ts";

export function OriginLine({ origins: { asked, isRefused } }: { origins: Origins }) {
  const text = useText();
  if (asked.length === 0) return null;
  const addresses = asked.join(", ");
  return (
    <div className="mb-2 text-xs" data-testid="card-origin">
      <p className="flex items-start gap-1.5 text-soft">
        <Globe aria-hidden size={12} className="mt-0.5 shrink-0" />
        <span className="min-w-0 wrap-anywhere"><VisibleText value={text.cards.asksAddress(addresses)} oneLine /></span>
      </p>
      {isRefused && <p role="alert" data-testid="card-origin-refused" className="mt-1 text-bad wrap-anywhere"><VisibleText value={text.cards.addressRefused(addresses)} oneLine /></p>}
    </div>
  );
}
