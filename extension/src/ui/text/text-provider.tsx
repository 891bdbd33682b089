/** Gives everything below the words of one language, and tells the document which one it is: screen readers and hyphens follow that. */
import { type ReactNode, useLayoutEffect } from "react";
import { LANGUAGES, type Language } from "./languages.ts";
import { TextContext } from "./use-text.ts";

export function TextProvider({ language, children }: { language: Language; children: ReactNode }) {
  const text = LANGUAGES[language];
  useLayoutEffect(() => {
    document.documentElement.lang = text.language.tag;
    document.documentElement.dir = text.language.direction;
  }, [text]);
  return <TextContext value={text}>{children}</TextContext>;
}
