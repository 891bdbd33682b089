// A page of the web as Markdown, without a browser's own parser: for text of strangers that a model will read.
//
// Tolerant of broken markup, and hard on tricks: what is not shown is not told (scripts, hidden elements, comments), entities are
// decoded exactly once and after the tags are gone, so that an encoded tag stays text, and invisible characters are dropped.

const SKIPPED = new Set(["script", "style", "noscript", "template", "iframe", "svg", "math", "object", "head", "select", "textarea", "canvas", "audio", "video"]);
const BLOCKS = /^(?:p|div|section|article|main|header|footer|nav|aside|ul|ol|table|tr|form|figure|figcaption|blockquote|dl|dt|dd|address|fieldset|hr|body|html)$/;

/** What shows nothing: control characters but line feed and tab, zero-width and direction characters, tags of languages. */
const INVISIBLE = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

export function htmlToMarkdown(html: string): string {
  const writer = new Writer();
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf("<", at);
    if (open === -1) {
      writer.text(html.slice(at));
      break;
    }
    writer.text(html.slice(at, open));
    if (html.startsWith("<!--", open)) {
      const end = html.indexOf("-->", open + 4);
      at = end === -1 ? html.length : end + 3;
      continue;
    }
    const tag = readTag(html, open);
    if (tag === null) {
      writer.text("<");
      at = open + 1;
      continue;
    }
    at = tag.end;
    const isHidden = !tag.closing && !tag.selfClosing && (SKIPPED.has(tag.name) || hides(tag.attributes));
    if (isHidden && !VOID.has(tag.name)) at = endOf(html, tag.name, tag.end);
    else if (tag.closing) writer.close(tag.name);
    else writer.open(tag.name, tag.attributes);
  }
  return writer.end();
}

const VOID = new Set(["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"]);

interface Tag {
  readonly name: string;
  readonly attributes: string;
  readonly closing: boolean;
  readonly selfClosing: boolean;
  readonly end: number;
}

/** Null: a `<` that begins no tag. Quotes may hold a `>`; a tag that never ends takes the rest. */
function readTag(html: string, open: number): Tag | null {
  const head = /^<(\/?)([a-z!?][^\s/>]*)/i.exec(html.slice(open, open + 80));
  if (head === null) return null;
  let at = open + head[0].length;
  let quote: string | null = null;
  for (; at < html.length; at += 1) {
    const letter = html[at] ?? "";
    if (quote !== null) {
      if (letter === quote) quote = null;
    } else if (letter === '"' || letter === "'") quote = letter;
    else if (letter === ">") break;
  }
  const attributes = html.slice(open + head[0].length, at);
  return { name: (head[2] ?? "").toLowerCase(), attributes, closing: head[1] === "/", selfClosing: attributes.endsWith("/"), end: Math.min(html.length, at + 1) };
}

/** After the end tag that belongs to it; the same element may stand in itself. */
function endOf(html: string, name: string, from: number): number {
  // Where a tag ends is looked for once: asked of each that never ends, it would take as long as the page is long, each time.
  const tags = new RegExp(`<(/?)${name.replaceAll(/[^a-z0-9]/g, ".")}(?=[\\s/>])`, "gi");
  tags.lastIndex = from;
  for (let depth = 1; ; ) {
    const found = tags.exec(html);
    if (found === null) return html.length;
    depth += found[1] === "/" ? -1 : 1;
    if (depth > 0) continue;
    const end = html.indexOf(">", tags.lastIndex);
    return end === -1 ? html.length : end + 1;
  }
}

function hides(attributes: string): boolean {
  return /(?:^|\s)hidden(?:\s|=|$|\/)/i.test(attributes) || /aria-hidden\s*=\s*["']?true/i.test(attributes) || /display\s*:\s*none|visibility\s*:\s*hidden|opacity\s*:\s*0(?:[;"'\s]|$)|font-size\s*:\s*0/i.test(attributes);
}

class Writer {
  #out = "";
  #pre = 0;
  readonly #links: (string | null)[] = [];

  text(raw: string): void {
    if (raw === "") return;
    const text = decodeOnce(raw).replaceAll(INVISIBLE, "");
    this.#out += this.#pre > 0 ? text : text.replaceAll(/\s+/g, " ");
  }

  open(name: string, attributes: string): void {
    const heading = /^h([1-6])$/.exec(name);
    if (heading !== null) this.#out += `\n\n${"#".repeat(Number(heading[1]))} `;
    else if (name === "br") this.#out += "\n";
    else if (name === "li") this.#out += "\n- ";
    else if (name === "td" || name === "th") this.#out += " | ";
    else if (name === "pre") {
      this.#pre += 1;
      this.#out += "\n\n```\n";
    } else if (name === "code" && this.#pre === 0) this.#out += "`";
    else if (name === "img") this.text(attribute(attributes, "alt"));
    else if (name === "a") {
      const href = decodeOnce(attribute(attributes, "href")).replaceAll(INVISIBLE, "").trim();
      const isWeb = /^https?:\/\/[^\s()<>]+$/i.test(href);
      this.#links.push(isWeb ? href : null);
      if (isWeb) this.#out += "[";
    } else if (BLOCKS.test(name)) this.#out += "\n\n";
  }

  close(name: string): void {
    if (/^h[1-6]$/.test(name) || BLOCKS.test(name)) this.#out += "\n\n";
    else if (name === "pre" && this.#pre > 0) {
      this.#pre -= 1;
      this.#out += "\n```\n\n";
    } else if (name === "code" && this.#pre === 0) this.#out += "`";
    else if (name === "a") {
      const href = this.#links.pop();
      if (href !== undefined && href !== null) this.#out += `](${href})`;
    }
  }

  end(): string {
    // At the very end: a `<` and what follows it may have come in two pieces.
    return escapeTags(this.#out).split("\n").map(withoutTail).join("\n").replaceAll(/\n{3,}/g, "\n\n").trim();
  }
}

/** Letter by letter: a pattern would begin anew at each of a million spaces. */
function withoutTail(line: string): string {
  let end = line.length;
  while (end > 0 && (line[end - 1] === " " || line[end - 1] === "\t")) end -= 1;
  return line.slice(0, end);
}

function attribute(attributes: string, name: string): string {
  const found = new RegExp(`(?:^|\\s)${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, "i").exec(attributes);
  return found?.[1] ?? found?.[2] ?? found?.[3] ?? "";
}

const NAMED: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " ", ndash: "–", mdash: "—", hellip: "…", copy: "©", reg: "®", trade: "™", laquo: "«", raquo: "»", lsquo: "‘", rsquo: "’", ldquo: "“", rdquo: "”", euro: "€", bull: "•", middot: "·", times: "×" };

/** One pass: what an entity gives is never read as another entity. */
function decodeOnce(text: string): string {
  return text.replaceAll(/&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([a-zA-Z][a-zA-Z0-9]{1,30}));?/g, (whole, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return Object.hasOwn(NAMED, name) ? (NAMED[name] ?? whole) : whole;
    const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number.parseInt(decimal, 10);
    return code > 0 && code <= 0x10_ffff && !(code >= 0xd800 && code <= 0xdfff) ? String.fromCodePoint(code) : "";
  });
}

/** A tag that was text stays text, whoever reads this next. */
function escapeTags(text: string): string {
  return text.replaceAll(/<(?=[a-z/!?])/gi, "\\<");
}
