/** The way into each section, with a word on what is there. */
import { ChevronRight } from "lucide-react";
import { useText } from "../text/use-text.ts";
import { SECTIONS, type SectionName } from "./section-names.ts";
import { sections } from "./sections.tsx";

export function SectionList({ onOpen }: { onOpen: (name: SectionName) => void }) {
  const text = useText();
  return (
    <ul className="divide-y divide-line overflow-clip rounded-lg border border-line bg-surface">
      {SECTIONS.map((name) => (
        <li key={name}>
          <button type="button" data-testid={`section-${name}`} onClick={() => onOpen(name)} className="flex w-full items-center gap-3 px-3 py-2.5 text-start -outline-offset-2 hover:bg-sunken">
            <span className="text-accent">{sections[name].icon}</span>
            <span className="min-w-0 flex-1">
              <span className="block font-medium">{text.settings.sections[name].title}</span>
              <span className="block text-xs text-soft">{text.settings.sections[name].hint}</span>
            </span>
            <ChevronRight aria-hidden size={14} className="shrink-0 text-soft rtl:rotate-180" />
          </button>
        </li>
      ))}
    </ul>
  );
}
