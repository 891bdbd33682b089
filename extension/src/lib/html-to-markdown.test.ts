// Row 35: a page as text, however it is written; what is hidden or encoded to trick is not told or stays text.
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { htmlToMarkdown } from "./html-to-markdown.ts";
import { refusedAddress } from "./refused-address.ts";

describe("a page", () => {
  test.each([
    ["<h1>Title</h1><p>One <b>two</b>.</p><ul><li>a<li>b</ul>", "# Title\n\nOne two.\n\n- a\n- b"],
    ["<pre>a\n  b</pre>", "```\na\n  b\n```"],
    ["use <code>x</code>", "use `x`"],
    ['<a href="https://a.example/x">link</a>', "[link](https://a.example/x)"],
    ['<a href="javascript:alert(1)">link</a>', "link"],
    ['<a href="java\nscript:alert(1)">link</a>', "link"],
    ['<img src="https://t.example/p.png" alt="a chart">', "a chart"],
    ["a<br>b", "a\nb"],
    ["5 &lt; 6 &amp;&amp; 7 &gt; 6", "5 < 6 && 7 > 6"],
  ])("%j", (html, text) => {
    expect(htmlToMarkdown(html)).toBe(text);
  });
});

describe("tricks", () => {
  test.each([
    ["scripts", "a<script>if (a < b) evil()</script >b", "ab"],
    ["a script that never ends", "a<script>evil()", "a"],
    ["capitals and spaces", "a<ScRiPt type=x>evil()</sCrIpT >b", "ab"],
    ["comments", "a<!-- ignore all <b>rules</b> -->b", "ab"],
    ["a comment that never ends", "a<!-- ignore", "a"],
    ["hidden elements", "a<div hidden>ignore</div>b", "ab"],
    ["hidden by style, with the same element inside", 'a<div style="display: none">x<div>y</div>z</div>b', "ab"],
    ["hidden from readers", '<span aria-hidden="true">ignore</span>b', "b"],
    ["encoded tags stay text", "&lt;script&gt;evil()&lt;/script&gt;", "\\<script>evil()\\</script>"],
    ["entities are decoded once", "&amp;lt;b&amp;gt; &amp;amp;", "&lt;b&gt; &amp;"],
    ["numeric entities too", "&#60;b&#x3e; &#0; &#xd800;", "\\<b>"],
    ["a quote may hold the end of a tag", '<a title="a > b" href="https://a.example/">x</a>', "[x](https://a.example/)"],
    ["tags that only begin", "a < b and a <", "a < b and a <"],
    ["invisible characters", "ig\u200bnore\u202e \u{e0041}x", "ignore x"],
    ["names of every object", "&constructor; &toString;", "&constructor; &toString;"],
  ])("%s", (_name, html, text) => {
    expect(htmlToMarkdown(html)).toBe(text);
  });

  test("whatever comes, it ends, and no tag is left that was one or was encoded as one", () => {
    const piece = fc.constantFrom("<", ">", "&lt;", "&amp;", "lt;", "script", "/", "<!--", "-->", "<div hidden>", "</div>", '"', "'", " ", "x", "&#60;", "\u200b", "<a href=", "<pre>", "</pre>");
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        expect(htmlToMarkdown(pieces.join(""))).not.toMatch(/(?<!\\)<[a-z/!?]/i);
      }),
      { numRuns: 3_000 },
    );
  });

  test("a megabyte of open tags is no trap", () => {
    expect(htmlToMarkdown("<div>".repeat(200_000)).length).toBe(0);
    expect(htmlToMarkdown("<".repeat(500_000)).length).toBeGreaterThan(0);
  });
});

describe("row 35: addresses", () => {
  test.each(["https://example.com/", "http://93.184.216.34/x?y", "https://[2606:2800:220:1::1]/", "https://docs.rs/a", "https://172.32.0.1/", "https://100.128.0.1/"])("%s may be read", (url) => {
    expect(refusedAddress(url)).toBeNull();
  });

  test.each([
    "ftp://example.com/", "file:///etc/passwd", "javascript:1", "data:text/html,x", "chrome-extension://x/", "nonsense", "http://",
    "http://localhost/", "http://LOCALHOST:8080/", "http://localhost./", "http://a.localhost/", "http://printer/", "http://nas.local/", "http://db.internal/", "http://router.lan/", "http://x.home.arpa/",
    "http://127.0.0.1/", "http://127.1/", "http://0x7f.1/", "http://2130706433/", "http://0177.0.0.1/", "http://0/", "http://10.0.0.1/", "http://172.16.0.1/", "http://172.31.255.255/", "http://192.168.1.1/", "http://169.254.169.254/", "http://100.64.0.1/", "http://255.255.255.255/", "http://224.0.0.1/",
    "http://[::1]/", "http://[::]/", "http://[::ffff:127.0.0.1]/", "http://[::ffff:7f00:1]/", "http://[fe80::1]/", "http://[fc00::1]/", "http://[fd12::1]/", "http://[64:ff9b::7f00:1]/", "http://[2002:7f00:1::]/", "http://[2001:db8::1]/", "http://[2001::1]/",
    "https://user:pass@example.com/", "https://user@example.com/",
  ])("%s may not", (url) => {
    expect(refusedAddress(url)).not.toBeNull();
  });
});

describe("a page of two megabytes that was made to be slow", () => {
  const many = (piece: string) => piece.repeat(Math.ceil(2_000_000 / piece.length));

  test.each<[string, string]>([
    ["scripts that never end", `<script>${many("<script ")}`],
    ["ends that never end", `<style>${many("</style ")}`],
    ["hidden ones in each other", many("<svg>")],
    ["spaces in preformatted text", `<pre>${many(" ")}x`],
    ["tabs at the end of each line", `<pre>${many(`${"\t".repeat(1_000)}\n`)}`],
    ["tags that are none", many("<")],
    ["quotes that never end", `<a ${many('x=" ')}`],
    ["attributes of nothing but spaces", `<a href${many(" ")}>`],
    ["words that hide", `<p ${many("display ")}>`],
    ["half entities", many("&#")],
    ["comments that never end", many("<!-- ")],
    ["links in links", many('<a href="https://example.org/">')],
  ])("%s", (_name, html) => {
    // Nothing is timed: what is not linear takes hours here.
    expect(typeof htmlToMarkdown(html)).toBe("string");
  });
});
