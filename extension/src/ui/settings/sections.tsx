/** What stands in each section of the settings. */
import { Bell, CalendarClock, ChartNoAxesColumn, Cpu, Database, FolderOpen, Gauge, Palette, ShieldCheck, UserCog } from "lucide-react";
import type { ReactNode } from "react";
import { AlertsSection } from "./alerts-section.tsx";
import { DataSection } from "./data-section.tsx";
import { LimitsSection } from "./limits-section.tsx";
import { LookSection } from "./look-section.tsx";
import { ModelsSection } from "./models-section.tsx";
import { ProfilesSection } from "./profiles-section.tsx";
import { RulesSection } from "./rules-section.tsx";
import { SchedulesSection } from "./schedules-section.tsx";
import type { SectionName } from "./section-names.ts";
import { UsageSection } from "./usage-section.tsx";
import { WorkspacesSection } from "./workspaces-section.tsx";

interface Section {
  readonly icon: ReactNode;
  readonly view: () => ReactNode;
}

export const sections: Record<SectionName, Section> = {
  models: { icon: <Cpu aria-hidden size={16} />, view: () => <ModelsSection /> },
  workspaces: { icon: <FolderOpen aria-hidden size={16} />, view: () => <WorkspacesSection /> },
  profiles: { icon: <UserCog aria-hidden size={16} />, view: () => <ProfilesSection /> },
  rules: { icon: <ShieldCheck aria-hidden size={16} />, view: () => <RulesSection /> },
  schedules: { icon: <CalendarClock aria-hidden size={16} />, view: () => <SchedulesSection /> },
  limits: { icon: <Gauge aria-hidden size={16} />, view: () => <LimitsSection /> },
  usage: { icon: <ChartNoAxesColumn aria-hidden size={16} />, view: () => <UsageSection /> },
  alerts: { icon: <Bell aria-hidden size={16} />, view: () => <AlertsSection /> },
  look: { icon: <Palette aria-hidden size={16} />, view: () => <LookSection /> },
  data: { icon: <Database aria-hidden size={16} />, view: () => <DataSection /> },
};
