/** A line that opens and shuts what is under it. The body is not in the page while shut. */
import { ChevronRight } from "lucide-react";
import { type ReactNode, useId, useState } from "react";
import { classNames } from "./class-names.ts";

interface DisclosureProps {
  summary: ReactNode;
  children: ReactNode;
  startsOpen?: boolean;
  className?: string;
  onToggle?: (open: boolean) => void;
  testId?: string;
}

export function Disclosure({ summary, children, startsOpen = false, className, onToggle, testId }: DisclosureProps) {
  const [open, setOpen] = useState(startsOpen);
  const bodyId = useId();
  const toggle = () => {
    setOpen(!open);
    onToggle?.(!open);
  };
  return (
    <div className={classNames("min-w-0", className)}>
      <button
        type="button"
        data-testid={testId}
        aria-expanded={open}
        aria-controls={open ? bodyId : undefined}
        onClick={toggle}
        className="flex w-full min-w-0 items-center gap-1.5 rounded-sm py-1 text-start text-xs text-soft hover:text-ink"
      >
        <ChevronRight aria-hidden size={12} className={classNames("shrink-0 transition-transform", open && "rotate-90")} />
        {summary}
      </button>
      {open && <div id={bodyId}>{children}</div>}
    </div>
  );
}
