// Reads the tokens and measures what a person with weak sight would.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const css = readFileSync(new URL("./tokens.css", import.meta.url), "utf8");
const tokens = new Map([...css.matchAll(/--([a-z-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)/g)].map(([, name, light, dark]) => [name ?? "", { light: light ?? "", dark: dark ?? "" }]));

const channels = (colour: string) => [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255);
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = channels(colour).map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
function contrast(a: string, b: string): number {
  const [light = 0, dark = 0] = [luminance(a), luminance(b)].toSorted((x, y) => y - x);
  return (light + 0.05) / (dark + 0.05);
}
const pick = (name: string, theme: "light" | "dark") => tokens.get(name)?.[theme] ?? "";

test("there are twelve colours", () => expect([...tokens.keys()]).toHaveLength(12));

for (const theme of ["light", "dark"] as const) {
  for (const ground of ["canvas", "surface", "sunken"]) {
    test.each(["ink", "soft", "accent", "good", "warn", "bad"])(`${theme}: %s is readable on ${ground}`, (name) => {
      expect(contrast(pick(name, theme), pick(ground, theme))).toBeGreaterThanOrEqual(4.5);
    });
  }
  test(`${theme}: text on accent is readable`, () => expect(contrast(pick("on-accent", theme), pick("accent", theme))).toBeGreaterThanOrEqual(4.5));
  test(`${theme}: the edge of a control is seen`, () => {
    expect(contrast(pick("edge", theme), pick("surface", theme))).toBeGreaterThanOrEqual(3);
    expect(contrast(pick("edge", theme), pick("canvas", theme))).toBeGreaterThanOrEqual(3);
  });
}
