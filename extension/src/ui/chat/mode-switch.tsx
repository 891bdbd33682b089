/** Plan, Ask or Accept edits: how much may happen without asking. */
import type { Mode } from "../../agent/events.ts";
import { classNames } from "../common/class-names.ts";
import { useText } from "../text/use-text.ts";

const fromStrictToLoose: readonly Mode[] = ["plan", "ask", "accept_edits"];

interface ModeSwitchProps {
  mode: Mode;
  modes: readonly Mode[];
  onChange: (mode: Mode) => void;
}

export function ModeSwitch({ mode, modes, onChange }: ModeSwitchProps) {
  const text = useText();
  return (
    <fieldset data-testid="mode-switch" data-value={mode} className="flex rounded-md bg-sunken p-0.5">
      <legend className="sr-only">{text.mode.label}</legend>
      {fromStrictToLoose.filter((candidate) => modes.includes(candidate)).map((candidate) => (
        <label
          key={candidate}
          title={text.mode[`${candidate}Hint`]}
          data-testid={`mode-${candidate}`}
          data-chosen={candidate === mode}
          className={classNames(
            "relative cursor-pointer rounded-sm px-2 text-xs leading-5.5 font-medium whitespace-nowrap has-focus-visible:outline-2 has-focus-visible:outline-accent",
            candidate === mode ? "bg-surface text-ink ring-1 ring-line" : "text-soft hover:text-ink",
          )}
        >
          <input type="radio" name="mode" value={candidate} checked={candidate === mode} onChange={() => onChange(candidate)} className="absolute inset-0 cursor-pointer opacity-0" />
          {text.mode[candidate]}
          <span className="sr-only">. {text.mode[`${candidate}Hint`]}</span>
        </label>
      ))}
    </fieldset>
  );
}
