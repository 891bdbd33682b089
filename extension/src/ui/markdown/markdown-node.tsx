/** Draws one node of the markdown tree. What it does not know, and raw HTML, it shows as the text it is. */
import type { Nodes, Parents } from "mdast";
import { CodeBlock } from "../common/code-block.tsx";
import { CodeWords } from "./code-words.tsx";
import type { DrawChildren } from "./draw-children.ts";
import { MarkdownHeading } from "./markdown-heading.tsx";
import { MarkdownImage } from "./markdown-image.tsx";
import { MarkdownLink } from "./markdown-link.tsx";
import { MarkdownList } from "./markdown-list.tsx";
import { MarkdownNote } from "./markdown-note.tsx";
import { MarkdownTable } from "./markdown-table.tsx";

/** Children are told apart by where they begin in the source. */
const drawChildren: DrawChildren = (parent: Parents) => parent.children.map((child) => <MarkdownNode key={child.position?.start.offset} node={child} />);

export function MarkdownNode({ node }: { node: Nodes }) {
  switch (node.type) {
    case "text":
    case "html":
      return node.value;
    case "paragraph":
      return <p>{drawChildren(node)}</p>;
    case "heading":
      return <MarkdownHeading depth={node.depth}>{drawChildren(node)}</MarkdownHeading>;
    case "strong":
      return <strong className="font-semibold">{drawChildren(node)}</strong>;
    case "emphasis":
      return <em>{drawChildren(node)}</em>;
    case "delete":
      return <del>{drawChildren(node)}</del>;
    case "inlineCode":
      return <code className="rounded-sm bg-sunken px-1 py-0.5 text-xs">{node.value}</code>;
    case "code":
      return <CodeBlock code={node.value} language={node.lang ?? null}>{node.lang ? <CodeWords code={node.value} language={node.lang.toLowerCase()} /> : null}</CodeBlock>;
    case "blockquote":
      return <blockquote dir="auto" className="flex flex-col gap-2 border-s-2 border-line ps-3 text-soft">{drawChildren(node)}</blockquote>;
    case "list":
      return <MarkdownList list={node} draw={drawChildren} />;
    case "table":
      return <MarkdownTable table={node} draw={drawChildren} />;
    case "link":
      return <MarkdownLink address={node.url} words={node.children.length === 1 && node.children[0]?.type === "text" ? node.children[0].value : null}>{drawChildren(node)}</MarkdownLink>;
    case "linkReference":
      // Where it leads stands with its definition: an answer that streams in may have said the one and not yet the other.
      return node.referenceType === "full" ? <>{drawChildren(node)}<sup className="text-2xs text-soft">[{node.label ?? node.identifier}]</sup></> : <>[{drawChildren(node)}]</>;
    case "definition":
      return <MarkdownNote name={node.label ?? node.identifier}><MarkdownLink address={node.url} words={node.title ?? node.url}>{node.title ?? node.url}</MarkdownLink></MarkdownNote>;
    case "footnoteReference":
      return <sup className="text-2xs text-soft">[{node.label ?? node.identifier}]</sup>;
    case "footnoteDefinition":
      return <MarkdownNote name={node.label ?? node.identifier}>{drawChildren(node)}</MarkdownNote>;
    case "imageReference":
      return <MarkdownImage address="" description={node.alt ?? ""} />;
    case "image":
      return <MarkdownImage address={node.url} description={node.alt ?? ""} />;
    case "break":
      return <br />;
    case "thematicBreak":
      return <hr className="border-line" />;
    default:
      return "children" in node ? drawChildren(node) : null;
  }
}
