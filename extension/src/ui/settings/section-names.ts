/** The sections of the settings, in the order in which they are needed. */
export const SECTIONS = ["models", "workspaces", "profiles", "rules", "schedules", "limits", "usage", "alerts", "look", "data"] as const;

export type SectionName = (typeof SECTIONS)[number];

export function isSection(value: unknown): value is SectionName {
  return SECTIONS.some((name) => name === value);
}
