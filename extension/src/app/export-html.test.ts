// @vitest-environment happy-dom
// Ancestor fault 19, row 75: a conversation as a page: drawn as the panel draws it, and whatever stands in it, nothing is run, loaded or hidden.
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FakeHost } from "../testing/fake-host.ts";
import { FakeWorld } from "../testing/fake-world.ts";
import { callTools, say, ScriptedModel } from "../testing/scripted-model.ts";
import { readTool } from "../testing/session-log.ts";
import { exportHtml } from "./export-html.ts";
import { markdownToHtml } from "./render-markdown.ts";

const page = (html: string) => new DOMParser().parseFromString(html, "text/html");
const drawn = (source: string) => page(`<body>${markdownToHtml(source)}</body>`).body;

/** What a page must not have, whatever was put into it. */
function harmIn(document: Document): readonly string[] {
  return [...document.querySelectorAll("*")].flatMap((element) => {
    const name = element.tagName.toLowerCase();
    const attributes = [...element.attributes].filter((each) => !ATTRIBUTES.has(each.name) || (each.name === "href" && !/^(?:https?|mailto):/u.test(each.value)));
    return [...(ELEMENTS.has(name) ? [] : [name]), ...attributes.map((each) => `${name} ${each.name}=${each.value}`)];
  });
}

const ELEMENTS = new Set("html head meta title style body h1 h2 h3 h4 h5 p div section span details summary pre code strong em del blockquote ul ol li table thead tbody tr th td a small sup br hr input".split(" "));
const ATTRIBUTES = new Set("lang charset http-equiv content name class dir start href rel target type disabled checked".split(" "));

describe("an answer", () => {
  test("has the headings, lists, tables and code it was written with", () => {
    const body = drawn("# Title\n\nSome `code`, **bold** and *slanted*, ~~gone~~.\n\n1. one\n2. two\n\n- [x] done\n- [ ] open\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n\n> said\n\n```js\nlet a = 1;\n```\n\n***\n");
    const count = (selector: string) => body.querySelectorAll(selector).length;
    expect(["h3", "p > code", "strong", "em", "del", "ol > li", "ul > li", "input[checked]", "th", "td.right", "blockquote", "pre > code", "hr"].map(count)).toEqual([1, 1, 1, 1, 1, 2, 2, 1, 2, 1, 1, 1, 1]);
    expect(body.querySelector("pre")?.textContent).toBe("let a = 1;");
  });

  test("says where its links lead, and has none that leads out of the web", () => {
    const link = drawn("[my bank](https://evil.example/login)").querySelector("a");
    expect([link?.getAttribute("href"), link?.getAttribute("rel"), link?.textContent]).toEqual(["https://evil.example/login", "noopener noreferrer nofollow", "my bank evil.example"]);
    expect(drawn("https://a.example/path/").querySelector("a")?.textContent).toBe("https://a.example/path/");
    for (const address of ["javascript:alert(1)", "JaVaScRiPt:alert(1)", "data:text/html,x", "file:///etc/passwd", "//evil.example", "&#106;avascript:alert(1)", "vbscript:x"]) expect(drawn(`[click](<${address}>)`).querySelector("a"), address).toBeNull();
  });

  test("loads no picture, and shows its raw HTML as text", () => {
    const body = drawn('<img src=x onerror="alert(1)"> ![secret](https://evil.example/?q=1)\n\n<script>alert(1)</script>\n\n<style>*{display:none}</style>');
    expect(body.querySelector("img, script, style")).toBeNull();
    expect(body.textContent).toContain("<script>alert(1)</script>");
    expect(body.textContent).toContain("[Picture: secret]");
  });

  test("hides nothing in its code", () => {
    expect(drawn("```\nrm\u202e -rf\u200b\n```").querySelector("pre")?.textContent).toBe("rmU+202E -rfU+200B");
  });

  test("of thousands of layers, or of a megabyte, is read all the same", () => {
    for (const layers of [60, 99, 100, 3_000, 25_000]) expect(drawn(`${"> ".repeat(layers)}deep`).textContent).toContain("deep");
    expect(drawn(`${"*a **b ".repeat(150_000)}end`).textContent).toContain("end");
  });

  test("with a long ruler, or with many markers in its words, is parsed all the same", () => {
    for (const ruler of ["-".repeat(200), "* ".repeat(40), "=".repeat(200), `a ${"> ".repeat(200)}`]) expect(drawn(`**bold**\n\n${ruler}\n`).querySelector("strong"), ruler.slice(0, 10)).not.toBeNull();
  });

  test("in the worst case that is parsed is parsed", () => {
    expect(drawn(`${"__a_ ".repeat(11_000)}end`).textContent).toContain("end");
  });
});

test("whatever its pieces are put together to, an answer does nothing", () => {
  const piece = fc.constantFrom(
    "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "javascript:alert(1)", "[a](javascript:alert(1))", "[a](https://a.example \"t\\\" onclick=x\")", "![a](https://a.example/x.png)", "<style>", "</style>", "</section>", "</pre>", "<!--", "-->", "<a href='x' onclick=y>",
    "`", "```", "\n", "\n\n", "| a |\n|---|\n| ", "> ", "- ", "1. ", "# ", "**", "_", "[x]: https://a.example/\"onload=\"x", "[x]", "[^1]: ", "[^1]", "&lt;", "&quot;", "\"", "'", "<", ">", "https://a.example/'onclick='x", "<https://a.example/\">", "\u202e", "\u0000",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
      expect(harmIn(page(`<body>${markdownToHtml(pieces.join(""))}</body>`))).toEqual([]);
    }),
    { numRuns: 600 },
  );
});

test("a whole page asks for nothing and lets nothing in, wherever the attack stands; what was said meanwhile is there", async () => {
  const evil = '</pre></section></title></style><script>alert(1)</script><img src=x onerror=alert(1)><link rel=stylesheet href=https://evil.example> " onload="x';
  const model = ScriptedModel.steps(() => callTools(["fs_read", { path: evil }]), () => say(`So: **done** ${evil}`));
  const host = new FakeHost();
  const world = new FakeWorld(model, host);
  let session = "";
  world.onLog = (log) => (session = log.session);
  host.add({ ...readTool, run: async () => (await world.engine.queue.add(session, `also ${evil}`, "steer"), { text: evil }) });
  session = await world.engine.startSession(evil);
  await world.ended(session);
  const html = exportHtml(await world.engine.transfer.view(session)).text;
  const document = page(html);
  expect(harmIn(document)).toEqual([]);
  expect(document.querySelectorAll("style")).toHaveLength(1);
  expect(document.querySelector("meta[http-equiv]")?.getAttribute("content")).toBe("default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'");
  expect(document.querySelector(".agent strong")?.textContent).toBe("done");
  expect([...document.querySelectorAll("h2")].map(({ textContent }) => textContent)).toEqual(["You", "Scripted", "You, meanwhile", "Scripted"]);
  expect((await world.engine.transfer.as(session, "markdown")).text).toContain("> You, meanwhile: also");
  // It crosses as one message: nothing comes along that is not read.
  const [call] = (await world.engine.transfer.view(session)).view.turns[0]?.steps[0]?.calls ?? [];
  expect([call?.approval, call?.result?.structured, call?.result?.text]).toEqual([null, null, evil]);
});
