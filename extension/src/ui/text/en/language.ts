/** The language itself: its tag for the document and for numbers and times, its own name, and where its lines begin. */

export interface LanguageWords {
  readonly tag: string;
  readonly name: string;
  readonly direction: "ltr" | "rtl";
}

export const language: LanguageWords = { tag: "en", name: "English", direction: "ltr" };
