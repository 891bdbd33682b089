/** On or off, at once. */
interface SwitchProps {
  label: string;
  testId?: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
}

export function Switch({ label, testId, checked, onChange }: SwitchProps) {
  return (
    <button type="button" role="switch" aria-checked={checked} aria-label={label} title={label} data-testid={testId} onClick={() => onChange(!checked)} className="group inline-flex h-7 w-9 shrink-0 items-center justify-center">
      <span className="relative h-4 w-7 rounded-full border border-edge bg-sunken transition-colors group-aria-checked:border-accent group-aria-checked:bg-accent">
        <span data-dot className="absolute top-px left-px size-3 rounded-full bg-edge transition-transform group-aria-checked:translate-x-3 group-aria-checked:bg-on-accent rtl:right-px rtl:left-auto rtl:group-aria-checked:-translate-x-3" />
      </span>
    </button>
  );
}
