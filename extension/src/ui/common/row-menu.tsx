/** The "more" button at the end of a row, and the acts behind it. */
import { Menu } from "@base-ui/react/menu";
import { Ellipsis } from "lucide-react";
import type { ReactNode } from "react";

interface RowMenuProps {
  label: string;
  testId?: string;
  children: ReactNode;
  className?: string;
}

export function RowMenu({ label, testId, children, className = "" }: RowMenuProps) {
  return (
    <Menu.Root>
      <Menu.Trigger aria-label={label} title={label} data-testid={testId} className={`inline-flex size-6 shrink-0 items-center justify-center rounded-md text-soft hover:bg-sunken hover:text-ink data-popup-open:bg-sunken data-popup-open:text-ink ${className}`}>
        <Ellipsis size={14} />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner side="bottom" align="end" sideOffset={4} collisionPadding={8} className="z-30">
          <Menu.Popup className="max-h-(--available-height) min-w-44 tiny:min-w-0 max-w-(--available-width) overflow-y-auto rounded-lg border border-line bg-surface p-1 text-sm shadow-float outline-none">{children}</Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}
