// Markdown as HTML that does nothing: what the panel draws of an answer, for a file that is read without it.
//
// Made of tags that are written here and of text that is escaped; nothing of the source becomes markup, and nothing is loaded.
import type { Nodes, Parents, Table } from "mdast";
import { parseBlocks } from "../lib/parse-markdown.ts";
import { safeAddress } from "../lib/safe-address.ts";
import { splitInvisible } from "../lib/split-invisible.ts";

/** Longer than an answer that is read: of some that are, a parser takes minutes. */
const LONGEST = 60_000;

/** Deeper than anyone writes: what is, would end in a full stack. */
const DEEPEST = 60;

export function markdownToHtml(source: string): string {
  if (source.length > LONGEST) return plainHtml(source);
  return parseBlocks(source).map(({ node }) => draw(node, 0)).join("\n");
}

export function plainHtml(source: string): string {
  return `<p class="plain" dir="auto">${escapeHtml(source)}</p>`;
}

/** Code and output: what hides in it stands as its code, as in the panel. */
export function codeToHtml(code: string): string {
  return splitInvisible(code).map(({ text, hidden }) => (hidden ? `<span class="hidden">${escapeHtml(text)}</span>` : escapeHtml(text))).join("");
}

export function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;").replaceAll("'", "&#39;");
}

function draw(node: Nodes, depth: number): string {
  if (depth > DEEPEST) return escapeHtml(wordsOf(node));
  const inner = (parent: Parents) => parent.children.map((child) => draw(child, depth + 1)).join("");
  switch (node.type) {
    case "text":
    case "html":
      return escapeHtml(node.value);
    case "paragraph":
      return `<p dir="auto">${inner(node)}</p>`;
    case "heading": {
      const tag = node.depth === 1 ? "h3" : node.depth === 2 ? "h4" : "h5";
      return `<${tag} dir="auto">${inner(node)}</${tag}>`;
    }
    case "strong":
      return `<strong>${inner(node)}</strong>`;
    case "emphasis":
      return `<em>${inner(node)}</em>`;
    case "delete":
      return `<del>${inner(node)}</del>`;
    case "inlineCode":
      return `<code>${codeToHtml(node.value)}</code>`;
    case "code":
      return `<pre><code>${codeToHtml(node.value)}</code></pre>`;
    case "blockquote":
      return `<blockquote dir="auto">${inner(node)}</blockquote>`;
    case "list": {
      const tag = node.ordered === true ? "ol" : "ul";
      const start = node.ordered === true && typeof node.start === "number" && node.start !== 1 ? ` start="${node.start}"` : "";
      return `<${tag} dir="auto"${start}>${node.children.map((item) => `<li>${box(item.checked)}${item.children.map((child) => drawItem(child, item.spread === true || node.spread === true, depth + 2)).join("")}</li>`).join("")}</${tag}>`;
    }
    case "table":
      return drawTable(node, inner);
    case "link":
      return drawLink(node.url, inner(node), node.children.length === 1 && node.children[0]?.type === "text" ? node.children[0].value : null);
    case "linkReference":
      return node.referenceType === "full" ? `${inner(node)}<sup>[${escapeHtml(node.label ?? node.identifier)}]</sup>` : `[${inner(node)}]`;
    case "definition":
      return note(node.label ?? node.identifier, drawLink(node.url, escapeHtml(node.title ?? node.url), node.title ?? node.url));
    case "footnoteReference":
      return `<sup>[${escapeHtml(node.label ?? node.identifier)}]</sup>`;
    case "footnoteDefinition":
      return note(node.label ?? node.identifier, inner(node));
    // Never loaded: its address could carry what the model read.
    case "imageReference":
      return picture(node.alt ?? "");
    case "image":
      return picture(node.alt || node.url);
    case "break":
      return "<br>";
    case "thematicBreak":
      return "<hr>";
    default:
      return "children" in node ? inner(node) : "";
  }
}

/** A list without blank lines has no paragraphs. */
function drawItem(node: Nodes, isSpread: boolean, depth: number): string {
  return node.type === "paragraph" && !isSpread ? node.children.map((child) => draw(child, depth)).join("") : draw(node, depth);
}

function box(checked: boolean | null | undefined): string {
  return typeof checked === "boolean" ? `<input type="checkbox" disabled${checked ? " checked" : ""}> ` : "";
}

function drawTable({ children: [head, ...rows], align }: Table, inner: (parent: Parents) => string): string {
  const side = (column: number) => (align?.[column] === "right" ? ' class="right"' : align?.[column] === "center" ? ' class="center"' : "");
  const row = (cells: readonly Parents[], tag: "th" | "td") => `<tr>${cells.map((cell, column) => `<${tag}${side(column)} dir="auto">${inner(cell)}</${tag}>`).join("")}</tr>`;
  return `<table><thead>${row(head?.children ?? [], "th")}</thead><tbody>${rows.map((each) => row(each.children, "td")).join("")}</tbody></table>`;
}

/** The host stands behind words that do not say it; what is no address of the web or of mail is no link. */
function drawLink(address: string, inner: string, words: string | null): string {
  const url = safeAddress(address);
  if (url === null) return `${inner} <code>${escapeHtml(address)}</code>`;
  const host = words !== null && isSaidBy(words, url) ? "" : ` <small>${escapeHtml(url.host || url.pathname)}</small>`;
  return `<a href="${escapeHtml(url.href)}" rel="noopener noreferrer nofollow" target="_blank">${inner}${host}</a>`;
}

/** In the browser's own form of it, in which no letter looks like another. */
function isSaidBy(words: string, { href }: URL): boolean {
  return [href, href.replace(/^(?:https?:\/\/|mailto:)/u, "")].some((whole) => words === whole || words === whole.replace(/\/$/u, ""));
}

function picture(description: string): string {
  return `<span class="note">[Picture: ${escapeHtml(description)}]</span>`;
}

function note(name: string, inner: string): string {
  return `<div class="note">[${escapeHtml(name)}] ${inner}</div>`;
}

/** All text below a node, without going down by calls. */
function wordsOf(node: Nodes): string {
  const words: string[] = [];
  const left: Nodes[] = [node];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if ("value" in next) words.push(next.value);
    if ("children" in next) left.push(...next.children.toReversed());
  }
  return words.join(" ");
}
