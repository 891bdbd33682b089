/** Everything below it speaks and looks as the person set it. */
import { type ReactNode, useEffect, useLayoutEffect, useSyncExternalStore } from "react";
import { TextProvider } from "../text/text-provider.tsx";
import { followPreferences, preferences, spokenLanguage } from "./preferences.ts";

export function Preferred({ children }: { children: ReactNode }) {
  const chosen = useSyncExternalStore(preferences.subscribe, preferences.get);
  const { theme } = chosen;
  useEffect(followPreferences, []);
  useLayoutEffect(() => {
    if (theme === "auto") delete document.documentElement.dataset["theme"];
    else document.documentElement.dataset["theme"] = theme;
  }, [theme]);
  return <TextProvider language={spokenLanguage(chosen)}>{children}</TextProvider>;
}
