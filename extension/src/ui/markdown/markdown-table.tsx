/** A table that scrolls sideways by itself, so that the conversation never does: its words and numbers stay whole, its long cells wrap. */
import type { Table, TableCell } from "mdast";
import type { DrawChildren } from "./draw-children.ts";

const sides = { left: "text-start", right: "text-end tabular-nums", center: "text-center" };

export function MarkdownTable({ table, draw }: { table: Table; draw: DrawChildren }) {
  const [head, ...rows] = table.children;
  const side = (column: number) => sides[table.align?.[column] ?? "left"];
  return (
    <div dir="auto" className="overflow-x-auto rounded-md border border-line text-sm wrap-break-word">
      <table className="w-full border-collapse">
        <thead className="bg-sunken text-xs">
          <tr>
            {head?.children.map((cell, column) => (
              <th key={cell.position?.start.offset} scope="col" className={`px-2.5 py-1 font-medium ${side(column)}`}><div className={room(cell)}>{draw(cell)}</div></th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.position?.start.offset} className="border-t border-line">
              {row.children.map((cell, column) => (
                <td key={cell.position?.start.offset} className={`px-2.5 py-1 align-top ${side(column)}`}><div className={room(cell)}>{draw(cell)}</div></td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Of more characters than this a cell is a sentence, which is not read one word below the other. */
const SENTENCE = 24;

function room({ position }: TableCell): string {
  const length = (position?.end.offset ?? 0) - (position?.start.offset ?? 0);
  return length > SENTENCE ? "max-w-60 min-w-32" : "max-w-60";
}
