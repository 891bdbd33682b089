/** A list, numbered or not, with boxes where its items are tasks. */
import type { List } from "mdast";
import { classNames } from "../common/class-names.ts";
import type { DrawChildren } from "./draw-children.ts";

export function MarkdownList({ list, draw }: { list: List; draw: DrawChildren }) {
  const Tag = list.ordered ? "ol" : "ul";
  return (
    <Tag
      dir="auto"
      {...(list.ordered && list.start !== 1 ? { start: list.start ?? 1 } : {})}
      className={classNames("flex flex-col gap-1 ps-5 marker:text-soft", list.ordered ? "list-decimal" : "list-disc")}
    >
      {list.children.map((item) => (
        <li key={item.position?.start.offset} className={typeof item.checked === "boolean" ? "list-none" : "ps-0.5"}>
          {typeof item.checked === "boolean" && <input type="checkbox" checked={item.checked} readOnly disabled className="mt-1 -ms-5 me-1.5 align-top" />}
          <div className="inline-flex w-full flex-col gap-1 align-top">{draw(item)}</div>
        </li>
      ))}
    </Tag>
  );
}
