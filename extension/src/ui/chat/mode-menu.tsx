/** Plan, Ask or Accept edits: how much may happen without asking. */
import { Eye, Hand, PencilLine } from "lucide-react";
import type { ReactNode } from "react";
import type { Mode } from "../../agent/events.ts";
import { ChoiceMenu } from "../common/choice-menu.tsx";
import { useText } from "../text/use-text.ts";

const fromStrictToLoose: readonly Mode[] = ["plan", "ask", "accept_edits"];

const icons: Record<Mode, ReactNode> = {
  plan: <Eye aria-hidden size={13} className="shrink-0" />,
  ask: <Hand aria-hidden size={13} className="shrink-0" />,
  accept_edits: <PencilLine aria-hidden size={13} className="shrink-0 text-warn" />,
};

interface ModeMenuProps {
  mode: Mode;
  modes: readonly Mode[];
  onChange: (mode: Mode) => void;
}

export function ModeMenu({ mode, modes, onChange }: ModeMenuProps) {
  const text = useText();
  return (
    <ChoiceMenu
      label={`${text.mode.label}: ${text.mode[mode]}`}
      testId="mode-switch"
      icon={icons[mode]}
      shown={text.mode[mode]}
      value={mode}
      choices={fromStrictToLoose.filter((candidate) => modes.includes(candidate)).map((candidate) => ({ value: candidate, title: text.mode[candidate], hint: text.mode[`${candidate}Hint`] }))}
      onChoose={(value) => onChange(value as Mode)}
    />
  );
}
