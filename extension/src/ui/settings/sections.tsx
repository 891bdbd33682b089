/** What stands in each section of the settings. */
import { Cpu, Palette } from "lucide-react";
import type { ReactNode } from "react";
import { LookSection } from "./look-section.tsx";
import { ModelsSection } from "./models-section.tsx";
import type { SectionName } from "./section-names.ts";

interface Section {
  readonly icon: ReactNode;
  readonly view: () => ReactNode;
}

export const sections: Record<SectionName, Section> = {
  models: { icon: <Cpu aria-hidden size={16} />, view: () => <ModelsSection /> },
  look: { icon: <Palette aria-hidden size={16} />, view: () => <LookSection /> },
};
