/** The scrolling body of a screen. The focus comes here when the screen is opened, and readers say its name. */
import type { ReactNode } from "react";
import { classNames } from "./class-names.ts";

interface ScreenBodyProps {
  label: string;
  testId: string;
  /** Its parts scroll by themselves. */
  still?: boolean;
  /** Takes the whole width instead of a column for reading. */
  wide?: boolean;
  children: ReactNode;
}

export function ScreenBody({ label, testId, still = false, wide = false, children }: ScreenBodyProps) {
  return (
    <main data-region data-arrival tabIndex={-1} aria-label={label} data-testid={testId} className={classNames("relative min-h-0 min-w-0 flex-1 outline-none", still ? "flex flex-col" : "overflow-y-auto")}>
      {still || wide ? children : <div className="mx-auto flex w-full max-w-180 flex-col gap-5 px-3 py-4">{children}</div>}
    </main>
  );
}
