/** The highlighter itself, with the languages people and models write most. Nothing here makes HTML: pieces of text come out. */
import bash from "highlight.js/lib/languages/bash";
import c from "highlight.js/lib/languages/c";
import cpp from "highlight.js/lib/languages/cpp";
import csharp from "highlight.js/lib/languages/csharp";
import css from "highlight.js/lib/languages/css";
import diff from "highlight.js/lib/languages/diff";
import dockerfile from "highlight.js/lib/languages/dockerfile";
import go from "highlight.js/lib/languages/go";
import ini from "highlight.js/lib/languages/ini";
import java from "highlight.js/lib/languages/java";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import kotlin from "highlight.js/lib/languages/kotlin";
import markdown from "highlight.js/lib/languages/markdown";
import php from "highlight.js/lib/languages/php";
import python from "highlight.js/lib/languages/python";
import ruby from "highlight.js/lib/languages/ruby";
import rust from "highlight.js/lib/languages/rust";
import sql from "highlight.js/lib/languages/sql";
import swift from "highlight.js/lib/languages/swift";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";
import { createLowlight } from "lowlight";
import type { CodeKind, CodePiece } from "./highlight.ts";

const lowlight = createLowlight({ bash, c, cpp, csharp, css, diff, dockerfile, go, ini, java, javascript, json, kotlin, markdown, php, python, ruby, rust, sql, swift, typescript, xml, yaml });
lowlight.registerAlias({ ini: ["toml"], javascript: ["mjs", "cjs"], typescript: ["mts", "cts"], bash: ["shell", "console"] });

/** A text longer than this is read, not coloured: it would hold up the panel. */
const LONGEST = 20_000;

const kinds: Record<string, CodeKind> = {
  comment: "comment", quote: "comment", meta: "comment",
  string: "string", regexp: "string", addition: "string", "template-variable": "string", link: "string",
  keyword: "keyword", built_in: "keyword", type: "keyword", tag: "keyword", name: "keyword", "selector-tag": "keyword", section: "keyword", deletion: "keyword",
  number: "value", literal: "value", symbol: "value", bullet: "value", attr: "value", attribute: "value", variable: "value", title: "value",
};

/** Null: this language is not known here, or there is too much of it. */
export function highlightCode(code: string, language: string): readonly CodePiece[] | null {
  if (code.length > LONGEST || !lowlight.registered(language)) return null;
  const pieces: CodePiece[] = [];
  let at = 0;
  const walk = (node: Node, kind: CodeKind | null) => {
    if (node.type === "text") {
      pieces.push({ at, text: node.value, kind });
      at += node.value.length;
    } else if (node.children) for (const child of node.children) walk(child, kindOf(node) ?? kind);
  };
  walk(lowlight.highlight(language, code) as Node, null);
  return pieces;
}

/** What the highlighter's tree is made of, as far as it matters here. */
type Node = { readonly type: "text"; readonly value: string } | { readonly type: "root" | "element"; readonly properties?: { readonly className?: unknown }; readonly children?: readonly Node[] };

function kindOf(node: Node): CodeKind | null {
  if (node.type === "text" || !Array.isArray(node.properties?.className)) return null;
  const name = node.properties.className.find((each) => typeof each === "string" && each.startsWith("hljs-"));
  const known = typeof name === "string" ? name.slice("hljs-".length) : "";
  return Object.hasOwn(kinds, known) ? (kinds[known] ?? null) : null;
}
