// A fault is told in the reader's language, with its facts; nothing that was said is lost.
import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { LANGUAGES } from "../text/all-languages.ts";
import { faultWords, pauseWords } from "./fault-words.ts";

const { en, de } = LANGUAGES;
const refused = { code: "key_refused", message: "Team did not accept the key. It says: bad key", hint: "…" };

test("a model's fault names the model, and keeps what it said", () => {
  expect(faultWords(refused, de, "Team")).toEqual({ title: "Team hat den Schlüssel nicht angenommen.", hint: de.faults.models.key_refused.hint, detail: refused.message });
  expect(faultWords(refused, en, "Team").detail).toBe("It says: bad key");
  expect(faultWords({ ...refused, message: "Team did not accept the key." }, en, "Team").detail).toBeNull();
});

test("what is not known is shown as it came", () => {
  expect(faultWords({ code: "brand_new", message: "Something else.", hint: "Do this." }, de)).toEqual({ title: "Something else.", hint: "Do this.", detail: null });
  expect(faultWords(refused, de)).toEqual({ title: refused.message, hint: "…", detail: null });
  expect(faultWords({ code: "constructor", message: "No word of ours.", hint: null }, de).title).toBe("No word of ours.");
});

test.each([
  ["step_cap", "50 steps were made without a final answer.", "50 Schritte wurden ohne eine letzte Antwort gemacht. Weiter?"],
  ["cost_cap", "This turn cost $0.52; its cap is $0.50.", "Diese Runde hat 0,52\u00A0$ gekostet; ihre Grenze ist 0,50\u00A0$. Weiter?"],
  ["same_failure", "The same call of search_2 failed 3 times.", "Derselbe Aufruf ist 3-mal fehlgeschlagen. Weiter?"],
  ["context_full", "anything", de.faults.pauses.context_full],
  ["step_cap", "no number", "no number"],
  ["new_reason", "as it came", "as it came"],
])("%s", (reason, message, words) => {
  expect(pauseWords({ reason, message }, de)).toBe(words);
});

const sources = globSync("{app,agent,llm,host,storage}/**/*.ts", { cwd: new URL("../../", import.meta.url).pathname, exclude: ["**/*.test.ts", "**/*.drill.ts"] });
/** Told to the model, never to a person. */
const TO_THE_MODEL = new Set(["address_refused"]);

test("every fault that the engine can tell a person has words in the catalogue", () => {
  const { models, engine } = en.faults;
  const known = new Set([...Object.keys(models), ...Object.keys(engine), ...Object.keys(en.connection.faults), ...TO_THE_MODEL]);
  const told = sources.flatMap((file) => {
    const source = readFileSync(new URL(`../../${file}`, import.meta.url), "utf8");
    return [...source.matchAll(/(?:refused|faultOf)\(\s*"([a-z_]+)"|(?:Fault\(|Fault = )\{\s*code: "([a-z_]+)"|fault: \{\s*code: "([a-z_]+)"/g)].map((found) => found.slice(1).find((code) => code !== undefined) ?? "");
  });
  expect(told.length).toBeGreaterThan(60);
  expect([...new Set(told)].filter((code) => !known.has(code))).toEqual([]);
});

test("what a page or a file could not be brought for is said in the reader's language", () => {
  const large = { code: "too_large", message: "`a.txt` has 3 MB; text may have 1 MB.", hint: "Put it into the workspace." };
  expect(faultWords(large, de)).toEqual({ title: de.faults.engine.too_large.message, hint: de.faults.engine.too_large.hint, detail: large.message });
  expect(faultWords({ code: "page_unreadable", message: "The page could not be read.", hint: null }, de).title).toBe(de.faults.engine.page_unreadable.message);
});
