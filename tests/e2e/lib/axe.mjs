// What axe finds wrong on a page as it stands; empty is good.
import { readFileSync } from "node:fs";
import { requireFromExtension } from "./places.mjs";

const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

export async function axeOn(page) {
  await page.evaluate(readFileSync(requireFromExtension.resolve("axe-core/axe.min.js"), "utf8"));
  return page.evaluate(async (runOnly) => {
    const { violations } = await globalThis.axe.run(document, { runOnly });
    return violations.map(({ id: rule, impact, nodes }) => `${rule} (${impact}): ${nodes.slice(0, 3).map(({ html }) => html.slice(0, 160)).join(" | ")}`);
  }, RULES);
}
