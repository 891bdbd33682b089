/** Everything below it speaks and looks as the person set it. */
import { type ReactNode, useEffect, useLayoutEffect, useSyncExternalStore } from "react";
import { chooseLanguage } from "../text/languages.ts";
import { TextProvider } from "../text/text-provider.tsx";
import { followPreferences, preferences } from "./preferences.ts";

export function Preferred({ children }: { children: ReactNode }) {
  const { language, theme } = useSyncExternalStore(preferences.subscribe, preferences.get);
  useEffect(followPreferences, []);
  useLayoutEffect(() => {
    if (theme === "auto") delete document.documentElement.dataset["theme"];
    else document.documentElement.dataset["theme"] = theme;
  }, [theme]);
  return <TextProvider language={chooseLanguage(language, navigator.languages)}>{children}</TextProvider>;
}
