/** A labelled line of input, with a hint and an error that readers hear. */
import { type ComponentProps, useId } from "react";

interface TextFieldProps extends ComponentProps<"input"> {
  label: string;
  hint?: string | undefined;
  error?: string | undefined;
}

export function TextField({ label, hint, error, ...rest }: TextFieldProps) {
  const id = useId();
  const note = error ?? hint;
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="text-xs font-medium">
        {label}
      </label>
      <input
        id={id}
        aria-describedby={note ? `${id}-note` : undefined}
        aria-invalid={error !== undefined}
        className="h-8 w-full rounded-md border border-edge bg-surface px-2.5 text-sm aria-invalid:border-bad"
        {...rest}
      />
      {note ? (
        <p id={`${id}-note`} className={error === undefined ? "text-xs text-soft" : "text-xs text-bad"}>
          {note}
        </p>
      ) : null}
    </div>
  );
}
