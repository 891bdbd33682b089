// Every language says everything: the types keep the keys, this keeps what stands behind them.
import { expect, test } from "vitest";
import { LANGUAGES } from "./all-languages.ts";
import { en } from "./en/index.ts";
import { chooseLanguage, knownWords, LANGUAGE_NAMES, loadWords } from "./languages.ts";

/** Names, units and signs, which are the same everywhere. */
const SAME_EVERYWHERE = /^$|^outrigger |^https?:|^Outrigger$|^[^a-zA-Z]*$/;

type Words = readonly [path: string, words: string];

/** All words of a catalogue; those that are made from facts are made from facts that can be found again. */
function wordsOf(value: unknown, path: string): Words[] {
  if (typeof value === "string") return [[path, value]];
  if (typeof value === "function") return [[path, String((value as (...given: unknown[]) => unknown)(...Array.from({ length: value.length }, (_, place) => 41 + place)))]];
  return Object.entries(value as object).flatMap(([key, inner]) => wordsOf(inner, `${path}.${key}`));
}

const english = new Map(wordsOf(en, ""));

test.each(Object.entries(LANGUAGES))("%s says something everywhere English does, and the same facts in it", (_, catalogue) => {
  const words = wordsOf(catalogue, "");
  expect(words.map(([path]) => path).toSorted()).toEqual([...english.keys()].toSorted());
  const silent = words.filter(([path, said]) => (said === "") !== (english.get(path) === ""));
  expect(silent).toEqual([]);
  const facts = (said: string) => said.match(/4[1-9]/g)?.toSorted() ?? [];
  expect(words.filter(([path, said]) => facts(said).join() !== facts(english.get(path) ?? "").join())).toEqual([]);
});

test.each(["de", "zh"] as const)("%s has no words left in English", (language) => {
  const untranslated = wordsOf(LANGUAGES[language], "").filter(([path, said]) => said === english.get(path) && /[a-z]{3,} [a-z]{2,}/i.test(said) && !SAME_EVERYWHERE.test(said));
  expect(untranslated).toEqual([]);
});

test("the language is the one that was set, else the first the browser wishes that there is", () => {
  expect(chooseLanguage("zh", ["de-AT"])).toBe("zh");
  expect(chooseLanguage("auto", ["fr", "de-AT", "en"])).toBe("de");
  expect(chooseLanguage("auto", ["zh-Hans-CN"])).toBe("zh");
  expect(chooseLanguage("auto", ["fr"])).toBe("en");
});

test("each is known by the name it calls itself, and is what is loaded for it", async () => {
  expect(LANGUAGE_NAMES).toEqual(Object.fromEntries(Object.entries(LANGUAGES).map(([language, words]) => [language, words.language.name])));
  for (const [language, words] of Object.entries(LANGUAGES)) {
    expect(await loadWords(language as keyof typeof LANGUAGES)).toBe(words);
    expect(knownWords(language as keyof typeof LANGUAGES)).toBe(words);
  }
});
