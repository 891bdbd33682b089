/** What the engine keeps of language and colours counts in every window: a page follows it, and remembers it for its next first paint. */
import { useEffect } from "react";
import type { AppView } from "../../app/views.ts";
import { setPreferences } from "../preferences/preferences.ts";

export function usePreferencesOf(app: AppView | null): void {
  const language = app?.settings?.language;
  const theme = app?.settings?.theme;
  useEffect(() => {
    if (language !== undefined && theme !== undefined) setPreferences({ language, theme });
  }, [language, theme]);
}
