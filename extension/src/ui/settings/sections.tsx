/** The sections of the settings, in the order in which they are needed. */
import { Cpu, Palette } from "lucide-react";
import type { ReactNode } from "react";
import { LookSection } from "./look-section.tsx";
import { ModelsSection } from "./models-section.tsx";

export const SECTIONS = ["models", "look"] as const;

export type SectionName = (typeof SECTIONS)[number];

interface Section {
  readonly icon: ReactNode;
  readonly view: () => ReactNode;
}

export const sections: Record<SectionName, Section> = {
  models: { icon: <Cpu aria-hidden size={16} />, view: () => <ModelsSection /> },
  look: { icon: <Palette aria-hidden size={16} />, view: () => <LookSection /> },
};
