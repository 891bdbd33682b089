/** The language and the colours of the panel. */
import { useSyncExternalStore } from "react";
import { Card } from "../common/card.tsx";
import { Segments } from "../common/segments.tsx";
import { usePanel } from "../panel/panel-context.ts";
import { type Preferences, preferences, setPreferences } from "../preferences/preferences.ts";
import { LANGUAGE_NAMES, type Language } from "../text/languages.ts";
import { useText } from "../text/use-text.ts";

export function LookSection() {
  const text = useText();
  const words = text.settings.look;
  const { send } = usePanel();
  const set = (change: Partial<Preferences>) => {
    setPreferences(change);
    void send("saveSettings", { change });
  };
  const { language, theme } = useSyncExternalStore(preferences.subscribe, preferences.get);
  const languages = Object.entries(LANGUAGE_NAMES).map(([value, title]) => ({ value: value as Language, title }));
  return (
    <>
      <Card title={words.language} hint={words.languageHint}>
        <Segments hideLabel label={words.language} testId="language" value={language} choices={[{ value: "auto" as const, title: words.auto }, ...languages]} onChoose={(value) => set({ language: value })} />
      </Card>
      <Card title={words.theme}>
        <Segments hideLabel label={words.theme} testId="theme" value={theme} choices={(["auto", "light", "dark"] as const).map((value) => ({ value, title: words.themes[value] }))} onChoose={(value) => set({ theme: value })} />
      </Card>
    </>
  );
}
