/**
 * Gives everything below the words of one language, and tells the document which one it is: screen readers and hyphens follow that.
 *
 * A language that was not loaded yet is spoken when it has come; until then the one before it is.
 */
import { type ReactNode, useEffect, useLayoutEffect, useState } from "react";
import { knownWords, type Language, loadWords } from "./languages.ts";
import { TextContext } from "./use-text.ts";
import { en } from "./en/index.ts";

export function TextProvider({ language, children }: { language: Language; children: ReactNode }) {
  const [text, setText] = useState(() => knownWords(language) ?? en);
  const words = knownWords(language);
  if (words !== null && words !== text) setText(words);
  useEffect(() => {
    let isCurrent = true;
    if (knownWords(language) === null) void loadWords(language).then((loaded) => isCurrent && setText(loaded));
    return () => {
      isCurrent = false;
    };
  }, [language]);
  useLayoutEffect(() => {
    document.documentElement.lang = text.language.tag;
    document.documentElement.dir = text.language.direction;
  }, [text]);
  return <TextContext value={text}>{children}</TextContext>;
}
