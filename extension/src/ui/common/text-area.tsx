/** A labelled place for several lines, with a hint. */
import { type ComponentProps, useId } from "react";

interface TextAreaProps extends ComponentProps<"textarea"> {
  label: string;
  hint?: string | undefined;
}

export function TextArea({ label, hint, ...rest }: TextAreaProps) {
  const id = useId();
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <label htmlFor={id} className="text-xs font-medium">{label}</label>
      <textarea id={id} aria-describedby={hint ? `${id}-note` : undefined} className="min-h-16 w-full rounded-md border border-edge bg-surface px-2.5 py-1.5 text-sm" {...rest} />
      {hint ? <p id={`${id}-note`} className="text-xs text-soft">{hint}</p> : null}
    </div>
  );
}
