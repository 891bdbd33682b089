// The few words the system shows for us, outside the panel: notifications and the context menu.
import type { Settings } from "./settings.ts";
import type { Attention } from "./views.ts";

type Words = Readonly<Record<Attention["kind"] | "ask" | "session", string>>;

const WORDS: Readonly<Record<"en" | "de" | "zh", Words>> = {
  en: { needs_you: "Needs you", done: "Done", failed: "Failed", ask: "Ask Outrigger", session: "A session" },
  de: { needs_you: "Wartet auf dich", done: "Fertig", failed: "Fehlgeschlagen", ask: "Outrigger fragen", session: "Eine Sitzung" },
  zh: { needs_you: "需要你处理", done: "已完成", failed: "失败", ask: "询问 Outrigger", session: "一个会话" },
};

export function systemWords(language: Settings["language"], browserLanguage: string): Words {
  const known = language === "auto" ? (browserLanguage.split("-")[0] ?? "") : language;
  return known === "de" || known === "zh" ? WORDS[known] : WORDS.en;
}
