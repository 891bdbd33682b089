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

/** As `color-mix(in oklab, …)` does it. */
function mixed(colour: string, share: number, ground: string): string {
  const [one, other] = [oklab(colour), oklab(ground)];
  const [l = 0, a = 0, b = 0] = one.map((value, at) => value * share + (other[at] ?? 0) * (1 - share));
  const [long, medium, short] = [l + 0.3963377774 * a + 0.2158037573 * b, l - 0.1055613458 * a - 0.0638541728 * b, l - 0.0894841775 * a - 1.291485548 * b].map((value) => value ** 3) as [number, number, number];
  const linear = [4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short, -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short, -0.0041960863 * long - 0.7034186147 * medium + 1.707614701 * short];
  const bytes = linear.map((value) => Math.round(255 * Math.min(1, Math.max(0, value <= 0.0031308 ? 12.92 * value : 1.055 * value ** (1 / 2.4) - 0.055))));
  return `#${bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
function oklab(colour: string): readonly number[] {
  const [red = 0, green = 0, blue = 0] = channels(colour).map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
  const [long, medium, short] = [0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue, 0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue, 0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue].map(Math.cbrt) as [number, number, number];
  return [0.2104542553 * long + 0.793617785 * medium - 0.0040720468 * short, 1.9779984951 * long - 2.428592205 * medium + 0.4505937099 * short, 0.0259040371 * long + 0.7827717662 * medium - 0.808675766 * short];
}

const shade = css.slice(css.indexOf("[data-shaded"));
const washes = (part: string) => [...part.matchAll(/--([a-z]+)-wash: color-mix\(in oklab, var\(--[a-z]+\) (\d+)%, var\(--surface\)\)/g)].map(([, tone = "", percent]) => [tone, Number(percent) / 100] as const);

for (const theme of ["light", "dark"] as const) {
  test.each(washes(css))(`${theme}: %s is readable on its wash of %f`, (tone, share) => {
    expect(contrast(pick(tone, theme), mixed(pick(tone, theme), share, pick("surface", theme)))).toBeGreaterThanOrEqual(4.5);
  });
  test.each(washes(shade).slice(0, 4))(`${theme}: %s is told from a shaded row`, (tone, share) => {
    expect(contrast(mixed(pick(tone, theme), share, pick("surface", theme)), pick("sunken", theme))).toBeGreaterThanOrEqual(1.07);
  });
  test(`${theme}: a word without a tone stands on another ground than its shaded row`, () => {
    expect(shade).toMatch(/^\[data-shaded[^}]*--chip: var\(--surface\)/u);
    expect(contrast(pick("surface", theme), pick("sunken", theme))).toBeGreaterThanOrEqual(1.1);
  });
}
