// @vitest-environment happy-dom
// Ancestor fault 19: answers are drawn as markdown, without what could do harm in it.
import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { Markdown } from "./markdown.tsx";

afterEach(cleanup);

const draw = (source: string) => render(<Markdown source={source} />).container;

test("raw HTML is text, and no picture is loaded", () => {
  const drawn = draw('<img src=x onerror="alert(1)"> ![secret](https://evil.example/?q=1)\n\n<script>alert(1)</script>');
  expect(drawn.querySelector("img, script")).toBeNull();
  expect(drawn.textContent).toContain("<script>alert(1)</script>");
  expect(drawn.textContent).toContain("secret");
});

test("a link shows where it goes", () => {
  draw("[my bank](https://evil.example/login)");
  const link = screen.getByRole("link");
  expect(link.getAttribute("href")).toBe("https://evil.example/login");
  expect(link.getAttribute("rel")).toContain("noopener");
  expect(link.textContent).toContain("evil.example");
});

test.each(["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "chrome://settings"])("%s is no link", (address) => {
  draw(`[click](${address})`);
  expect(screen.queryByRole("link")).toBeNull();
});

test("what streams in is drawn at every length", () => {
  const whole = "# Title\n\nSome `code`, **bold**, a [link](https://a.example).\n\n```js\nlet a = 1;\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n- [x] done\n- open\n";
  for (let length = 0; length <= whole.length; length += 1) {
    draw(whole.slice(0, length));
    cleanup();
  }
  expect(draw(whole).querySelectorAll("h3, pre, table, li")).toHaveLength(5);
});

test("an address that is its own words is said once; any other tells its host", () => {
  expect(draw("https://a.example/path/").querySelector("a")?.textContent).toBe("https://a.example/path/");
  expect(draw("<https://a.example>").querySelector("a")?.textContent).toBe("https://a.example");
  expect(draw("[https://good.example/path](https://evil.example/path)").querySelector("a")?.textContent).toContain("evil.example");
  // The first letter is a Cyrillic one.
  expect(draw("https://\u0430.example/").querySelector("a")?.textContent).toContain("xn--");
});

test("footnotes, links by name and what they mean are all there", () => {
  const drawn = draw("So it is[^1], as [the guide][g] says, and [g].\n\n[^1]: The note.\n\n[g]: https://a.example/guide\n");
  expect(drawn.textContent).toBe("So it is[1], as the guide[g] says, and [g].[1]The note.[g]https://a.example/guide");
  expect(screen.getByRole("link").getAttribute("href")).toBe("https://a.example/guide");
});

test("what is nested beyond any reading is shown as it was written", () => {
  expect(draw(`${"> ".repeat(25_000)}deep`).textContent).toContain("deep");
});
