/** A small menu to choose one of several things from, with room for a hint each and for other acts below. */
import { Menu } from "@base-ui/react/menu";
import { Check, ChevronsUpDown } from "lucide-react";
import type { ReactNode } from "react";

export interface Choice {
  value: string;
  title: string;
  hint?: ReactNode;
  badge?: ReactNode;
  disabled?: boolean;
}

interface ChoiceMenuProps {
  label: string;
  testId: string;
  icon?: ReactNode;
  /** What the trigger shows. */
  shown: ReactNode;
  value: string | null;
  choices: readonly Choice[];
  onChoose: (value: string) => void;
  /** Below the choices: other items, or a hint. */
  children?: ReactNode;
}

export function ChoiceMenu({ label, testId, icon, shown, value, choices, onChoose, children }: ChoiceMenuProps) {
  return (
    <Menu.Root>
      <Menu.Trigger
        title={label}
        data-testid={testId}
        data-value={value ?? ""}
        className="inline-flex h-6 min-w-0 items-center gap-1 rounded-md px-1 text-xs text-soft hover:bg-sunken hover:text-ink data-popup-open:bg-sunken data-popup-open:text-ink"
      >
        <span className="inline-flex shrink-0 tiny:hidden">{icon}</span>
        <span className="sr-only">{label}:</span>
        <span className="truncate">{shown}</span>
        <ChevronsUpDown aria-hidden size={10} className="shrink-0 tiny:hidden" />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner side="top" align="start" sideOffset={6} collisionPadding={8} className="z-30">
          <Menu.Popup className="max-h-(--available-height) w-72 max-w-(--available-width) overflow-y-auto rounded-lg border border-line bg-surface p-1 shadow-float outline-none">
            <Menu.RadioGroup value={value} onValueChange={onChoose}>
              {choices.map((choice) => (
                <Menu.RadioItem
                  key={choice.value}
                  value={choice.value}
                  closeOnClick
                  disabled={choice.disabled ?? false}
                  data-testid={`${testId}-option`}
                  data-value={choice.value}
                  className="flex items-start gap-2 rounded-md px-2 py-1.5 outline-none data-disabled:opacity-50 data-highlighted:bg-sunken"
                >
                  <span className="mt-0.5 size-3.5 shrink-0"><Menu.RadioItemIndicator><Check aria-hidden size={14} className="text-accent" /></Menu.RadioItemIndicator></span>
                  <span className="min-w-0 flex-1">
                    <span className="flex items-center gap-1.5"><span className="truncate font-medium">{choice.title}</span>{choice.badge}</span>
                    {choice.hint ? <span className="block text-xs text-soft">{choice.hint}</span> : null}
                  </span>
                </Menu.RadioItem>
              ))}
            </Menu.RadioGroup>
            {children}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}
