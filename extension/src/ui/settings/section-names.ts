/** The sections of the settings, in the order in which they are needed. */
export const SECTIONS = ["models", "workspaces", "profiles", "rules", "schedules", "limits", "usage", "alerts", "look", "data"] as const;

export type SectionName = (typeof SECTIONS)[number];

/** Those with a page for each thing in them. */
const PAGED = ["models", "profiles", "rules", "schedules"] as const satisfies readonly SectionName[];

export function isPaged(section: SectionName): section is (typeof PAGED)[number] {
  return PAGED.some((name) => name === section);
}

export function isSection(value: unknown): value is SectionName {
  return SECTIONS.some((name) => name === value);
}
