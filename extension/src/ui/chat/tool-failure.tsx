/** Why a call failed, in the host's words, and what would work. */
import { z } from "zod";
import type { ToolResultView } from "../../agent/session-view.ts";
import { Badge } from "../common/badge.tsx";
import { VisibleText } from "../common/visible-text.tsx";
import { useText } from "../text/use-text.ts";

const failure = z.object({ message: z.string(), hint: z.string().nullish() });

export function ToolFailure({ result }: { result: ToolResultView }) {
  const text = useText();
  const told = failure.safeParse(result.structured);
  const message = told.success ? told.data.message : result.text;
  return (
    <section data-wash className="rounded-md bg-bad-wash px-2.5 py-2 text-xs">
      <div className="flex flex-wrap items-center gap-1.5">
        <span className="font-medium text-bad">{text.tool.error}</span>
        {result.code !== null && <Badge tone="bad"><code>{result.code}</code></Badge>}
      </div>
      <p className="mt-1 whitespace-pre-wrap"><VisibleText value={message} /></p>
      {told.success && told.data.hint ? <p className="mt-1 text-soft">{text.tool.hint}: <VisibleText value={told.data.hint} /></p> : null}
    </section>
  );
}
