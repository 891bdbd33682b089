// What looks like another name is shown as what it is; a name in whatever language stays a name.
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { splitInvisible } from "./split-invisible.ts";

const shown = (value: string) => splitInvisible(value, "one").map(({ text, hidden }) => (hidden ? `[${text}]` : text)).join("");

test.each([
  ["src/\u0440\u0430yment.ts", "src/[U+0440][U+0430]yment.ts"],
  ["/usr/bin/\uff50\uff59thon", "/usr/bin/[U+FF50][U+FF59]thon"],
  ["p\u03bfwershell", "p[U+03BF]wershell"],
  ["https://\u0261ithub.com", "https://[U+0261]ithub.com"],
  ["\ud835\udc2cudo", "[U+1D42C]udo"],
  ["cha\u217cenge", "cha[U+217C]enge"],
  ["a\u2215b", "a[U+2215]b"],
  ["--\u0441onfig=\u0445", "--[U+0441]onfig=\u0445"],
  // Two of six are Latin: those are what is odd.
  ["\u0444\u0430\u0439\u043bab", "\u0444\u0430\u0439\u043b[U+0061][U+0062]"],
  ["/\u0301etc", "/[U+0301]etc"],
])("%j shows as %j", (value, expected) => expect(shown(value)).toBe(expected));

test.each([
  "src/отчёт.ts", "Документы/Новая папка/файл-2.txt", "η αναφορά.md", "docs/报告v2.md", "中文abc文件.ts", "日本語テストfile.ts", "한국어main.rs", "Übergrößenträger.docx",
  "u\u0308ber.txt", "Straße/naïve-café.js", "Việt Nam/tệp.txt", "kapı_ışık.txt", "ŁÓDŹ/żółw", "1º trimestre", "m².txt", "Ελλάδα_2024.csv", "ملف.txt", "עברית/file.js",
  "เอกสาร.pdf", "हिन्दी.md", "🙂 smile.txt", "Edit src/a.ts (+3 −1)", "编辑 src/a.ts（+3 −1）", "„Zitat“ – so…", "日本語、テスト", "β-release/α.md",
])("%j is an honest name", (name) => expect(shown(name)).toBe(name));

test("every letter of another alphabet amid Latin ones is shown as its code", () => {
  const letter = fc.integer({ min: 0x80, max: 0x10_ff_ff }).map((code) => String.fromCodePoint(code)).filter((text) => /(?=\p{L})[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Coptic}\p{Script=Lisu}\p{Script=Georgian}\p{Script=Hebrew}]/u.test(text));
  fc.assert(fc.property(letter, fc.stringMatching(/^[a-z]{1,9}$/), fc.stringMatching(/^[a-z]{1,9}$/), (odd, before, after) => {
    const code = `U+${(odd.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
    expect(shown(`${before}${odd}${after}`)).toBe(`${before}[${code}]${after}`);
  }));
});

test("the letters that are drawn like ASCII in Cyrillic and Greek are none of them missed", () => {
  for (const odd of "асеорхуіјѕһԁԛԝкмтвнАВЕЅІЈКМНОРСТУХΑΒΕΖΗΙΚΜΝΟΡΤΥΧονιυρα") expect(shown(`x${odd}y`)).not.toBe(`x${odd}y`);
});

test("nothing of a text is lost or put elsewhere", () => {
  fc.assert(fc.property(fc.string({ unit: "grapheme" }), (value) => {
    const pieces = splitInvisible(value, "one");
    const back = pieces.map(({ text, hidden }) => (hidden ? String.fromCodePoint(Number.parseInt(text.slice(2), 16)) : text)).join("");
    expect(back).toBe(value);
    expect(pieces.map(({ at }) => at)).toEqual([...pieces.map(({ at }) => at)].toSorted((a, b) => a - b));
  }));
});

test("in a text of many lines letters stay as they are", () => {
  expect(splitInvisible("let \u0440\u0430y = 1;\n")).toEqual([{ at: 0, text: "let \u0440\u0430y = 1;\n", hidden: false }]);
});
