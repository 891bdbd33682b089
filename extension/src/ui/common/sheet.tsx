/** A dialog over the panel: begins at its heading, holds the focus while it is open, gives it back to where it was, and closes with Escape. */
import { Dialog } from "@base-ui/react/dialog";
import { X } from "lucide-react";
import { type ReactNode, useRef } from "react";
import { ReceiptPlace } from "../panel/receipt-place.tsx";
import { useText } from "../text/use-text.ts";
import { IconButton } from "./icon-button.tsx";

interface SheetProps {
  title: string;
  /** A sentence below the title. */
  hint?: string | undefined;
  testId: string;
  onClose: () => void;
  children: ReactNode;
  /** At its lower edge, always in sight. */
  actions?: ReactNode;
}

export function Sheet({ title, hint, testId, onClose, children, actions }: SheetProps) {
  const text = useText();
  const popup = useRef<HTMLDivElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  // It is read from its beginning; no key does anything by itself that closes, sends or destroys. Where it begins with a choice, one is there.
  const begin = () => popup.current?.querySelector<HTMLElement>("[data-begin]:not(:disabled)") ?? heading.current;
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-canvas/70" />
        <Dialog.Popup ref={popup} initialFocus={begin} data-testid={testId} className="fixed inset-x-3 top-12 z-40 mx-auto flex max-h-4/5 max-w-120 flex-col rounded-lg border border-line bg-surface shadow-float outline-none">
          <div className="flex shrink-0 items-center gap-2 py-1.5 pe-1.5 ps-3">
            <Dialog.Title ref={heading} tabIndex={-1} className="min-w-0 flex-1 text-sm font-semibold outline-none">{title}</Dialog.Title>
            <Dialog.Close render={<IconButton label={text.common.close} icon={<X size={15} />} />} />
          </div>
          {hint !== undefined && <Dialog.Description className="px-3 pb-2 text-xs text-soft">{hint}</Dialog.Description>}
          <div className="relative min-h-0 flex-1 overflow-y-auto px-3 pb-3">{children}</div>
          {actions ? <div className="flex shrink-0 flex-wrap justify-end gap-1.5 border-t border-line px-3 py-2" data-keep-clear>{actions}</div> : null}
          <ReceiptPlace where="sheet" />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
