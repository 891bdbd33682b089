/** A table that scrolls sideways by itself, so that the conversation never does. */
import type { Table } from "mdast";
import type { DrawChildren } from "./draw-children.ts";

export function MarkdownTable({ table, draw }: { table: Table; draw: DrawChildren }) {
  const [head, ...rows] = table.children;
  return (
    <div className="overflow-x-auto rounded-md border border-line text-sm">
      <table className="w-full border-collapse">
        <thead className="bg-sunken text-start text-xs">
          <tr>
            {head?.children.map((cell) => (
              <th key={cell.position?.start.offset} scope="col" className="px-2.5 py-1 font-medium">{draw(cell)}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.position?.start.offset} className="border-t border-line">
              {row.children.map((cell) => (
                <td key={cell.position?.start.offset} className="px-2.5 py-1 align-top">{draw(cell)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
