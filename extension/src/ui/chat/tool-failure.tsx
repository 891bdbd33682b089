/** Why a call failed: by its code in the reader's language, then in the host's words with the facts, and what would work. */
import type { ToolResultView } from "../../agent/session-view.ts";
import { Badge } from "../common/badge.tsx";
import { VisibleText } from "../common/visible-text.tsx";
import { useText } from "../text/use-text.ts";

export function ToolFailure({ result }: { result: ToolResultView }) {
  const text = useText();
  const message = field(result.structured, "message") ?? result.text;
  const { tools } = text.faults;
  const known = result.code !== null && Object.hasOwn(tools, result.code) ? tools[result.code as keyof typeof tools] : null;
  const hint = field(result.structured, "hint");
  return (
    <section data-wash className="rounded-md bg-bad-wash px-2.5 py-2 text-xs">
      <div className="flex flex-wrap items-center gap-1.5">
        <span className="font-medium text-bad">{known ?? text.tool.error}</span>
        {result.code !== null && <Badge tone="bad"><code>{result.code}</code></Badge>}
      </div>
      <p className="mt-1 whitespace-pre-wrap"><VisibleText value={message} /></p>
      {hint !== null && <p className="mt-1 text-soft">{text.tool.hint}: <VisibleText value={hint} /></p>}
    </section>
  );
}

/** A text of the host's failure, if it is one: the structure comes from outside. */
function field(structured: unknown, name: "message" | "hint"): string | null {
  if (typeof structured !== "object" || structured === null) return null;
  const value: unknown = Object.entries(structured).find(([key]) => key === name)?.[1];
  return typeof value === "string" && value !== "" ? value : null;
}
