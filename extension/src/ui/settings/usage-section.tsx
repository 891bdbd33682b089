/** What each day cost, by model: tokens, and money where prices are known. */
import type { UsageRow } from "../../app/views.ts";
import { formatCount } from "../../lib/format-count.ts";
import { AskedBody } from "../common/asked-body.tsx";
import { Card } from "../common/card.tsx";
import { FactsLine } from "../common/facts-line.tsx";
import { formatPrice } from "../common/format-share.ts";
import { useAsked } from "../panel/use-asked.ts";
import { useText } from "../text/use-text.ts";

const DAYS = 30;

export function UsageSection() {
  const text = useText();
  const words = text.settings.usage;
  const usage = useAsked("listUsage", { days: DAYS });
  return (
    <Card title={words.title} hint={words.hint}>
      <AskedBody asked={usage}>{({ rows }) => (rows.length === 0 ? <p className="rounded-lg border border-line bg-surface px-3 py-2 text-xs text-soft">{words.none}</p> : <UsageTable rows={rows} />)}</AskedBody>
    </Card>
  );
}

function UsageTable({ rows }: { rows: readonly UsageRow[] }) {
  const text = useText();
  const words = text.settings.usage;
  const cost = (row: Pick<UsageRow, "unpriced" | "requests" | "costUsd">) => (row.unpriced === row.requests ? words.noPrice : `${row.unpriced > 0 ? "≥ " : ""}${formatPrice(row.costUsd, text.language.tag)}`);
  const all = rows.reduce((sum, row) => ({ unpriced: sum.unpriced + row.unpriced, requests: sum.requests + row.requests, costUsd: sum.costUsd + row.costUsd }), { unpriced: 0, requests: 0, costUsd: 0 });
  return (
    <div className="overflow-x-auto rounded-lg border border-line bg-surface">
      <table data-testid="usage-table" className="w-full text-xs tabular-nums">
        <thead className="text-2xs text-soft">
          <tr className="border-b border-line">
            <th scope="col" className="px-3 py-1.5 text-start font-medium">{words.day}</th>
            <th scope="col" className="px-2 py-1.5 text-end font-medium whitespace-nowrap">{words.input}</th>
            <th scope="col" className="px-2 py-1.5 text-end font-medium whitespace-nowrap">{words.output}</th>
            <th scope="col" className="px-3 py-1.5 text-end font-medium whitespace-nowrap">{words.cost}</th>
          </tr>
        </thead>
        {rows.map((row) => (
          <tbody key={`${row.day} ${row.model}`} className="border-t border-line first-of-type:border-t-0">
            <tr>
              <th scope="row" className="px-3 pt-1.5 text-start font-normal whitespace-nowrap">{new Date(`${row.day}T12:00:00`).toLocaleDateString(text.language.tag, { day: "numeric", month: "short" })}</th>
              <td className="px-2 pt-1.5 text-end whitespace-nowrap">{formatCount(row.inputTokens, text.language.tag)}</td>
              <td className="px-2 pt-1.5 text-end whitespace-nowrap">{formatCount(row.outputTokens, text.language.tag)}</td>
              <td className="px-3 pt-1.5 text-end whitespace-nowrap">{cost(row)}</td>
            </tr>
            <tr>
              <td colSpan={4} className="px-3 pb-1.5 text-2xs text-soft">
                <FactsLine>
                  {row.label}
                  {words.requests(row.requests)}
                  {row.cachedInputTokens > 0 && text.meter.fromCache(formatCount(row.cachedInputTokens, text.language.tag))}
                  {row.cacheWriteTokens > 0 && text.meter.toCache(formatCount(row.cacheWriteTokens, text.language.tag))}
                </FactsLine>
              </td>
            </tr>
          </tbody>
        ))}
        <tfoot className="border-t border-line font-medium"><tr><th scope="row" className="px-3 py-1.5 text-start">{words.total}</th><td className="px-2 text-end whitespace-nowrap">{formatCount(rows.reduce((sum, row) => sum + row.inputTokens, 0), text.language.tag)}</td><td className="px-2 text-end whitespace-nowrap">{formatCount(rows.reduce((sum, row) => sum + row.outputTokens, 0), text.language.tag)}</td><td className="px-3 text-end whitespace-nowrap">{cost(all)}</td></tr></tfoot>
      </table>
    </div>
  );
}
