/** What a screen that shows no session is called: its own name, or that of its open part. */
import { isSection } from "../settings/section-names.ts";
import type { Catalogue } from "../text/catalogue.ts";
import type { Place } from "./place.ts";

export function titleOf({ screen, part }: Place, text: Catalogue): string {
  if (screen !== "settings" || part === null) return text.header.screens[screen];
  const [section, page] = part.split("/");
  if (section === "models" && (page === "new" || page === "first")) return text.model.addServer;
  return isSection(section) ? text.settings.sections[section].title : text.header.screens.settings;
}
