/** Text that keeps its shape: scrolls sideways, wraps never, can be copied. Invisible characters show as codes. */
import type { ReactNode } from "react";
import { classNames } from "./class-names.ts";
import { CopyButton } from "./copy-button.tsx";
import { VisibleText } from "./visible-text.tsx";

interface CodeBlockProps {
  code: string;
  language?: string | null;
  /** Wraps long lines; for prose-like results rather than code. */
  wraps?: boolean;
  className?: string;
  /** The code as it is to be drawn, where that is more than its characters. */
  children?: ReactNode;
}

export function CodeBlock({ code, language, wraps = false, className, children }: CodeBlockProps) {
  return (
    <div className={classNames("group/code relative rounded-md border border-line bg-sunken", className)}>
      {language ? <div className="px-2.5 pt-1.5 text-2xs text-soft">{language}</div> : null}
      <pre
        className={classNames("max-h-80 overflow-auto px-2.5 py-2 text-xs", wraps && "break-words whitespace-pre-wrap")}
      >
        <code>
          {children ?? <VisibleText value={code} />}
        </code>
      </pre>
      <div className="absolute top-1 end-1 rounded-md bg-sunken opacity-0 group-focus-within/code:opacity-100 group-hover/code:opacity-100">
        <CopyButton value={code} />
      </div>
    </div>
  );
}
