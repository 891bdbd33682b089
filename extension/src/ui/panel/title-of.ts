/** What a screen that shows no session is called: its own name, or that of its open part. */
import { isPaged, isSection } from "../settings/section-names.ts";
import type { Catalogue } from "../text/catalogue.ts";
import type { Place } from "./place.ts";

export function titleOf({ screen, part }: Place, text: Catalogue): string {
  if (screen !== "settings" || part === null) return text.header.screens[screen];
  const [section, page] = part.split("/");
  if (!isSection(section)) return text.header.screens.settings;
  const { settings } = text;
  if (page === undefined || !isPaged(section)) return settings.sections[section].title;
  const isNew = page === "new" || page === "first";
  if (!isNew) return settings.pages[section];
  return section === "models" ? text.model.addServer : settings[section].add;
}
