/** A box to tick, whose third state says that some of what it stands for is ticked. */
import { type ComponentProps, useLayoutEffect, useRef } from "react";
import { classNames } from "./class-names.ts";

interface TickBoxProps extends Omit<ComponentProps<"input">, "type" | "ref"> {
  checked: boolean;
  /** Some, not all. */
  partly?: boolean;
}

export function TickBox({ checked, partly = false, className, ...rest }: TickBoxProps) {
  const box = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    if (box.current) box.current.indeterminate = partly;
  }, [partly]);
  return <input ref={box} type="checkbox" checked={checked} className={classNames("size-3.5 shrink-0 cursor-pointer accent-accent", className)} {...rest} />;
}
