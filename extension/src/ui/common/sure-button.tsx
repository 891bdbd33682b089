/** An act that cannot be taken back: the first press asks, the second does it. Looking away takes the question back. */
import type { ComponentProps } from "react";
import { Button } from "./button.tsx";
import { useSure } from "./use-sure.ts";

interface SureButtonProps extends Omit<ComponentProps<typeof Button>, "onClick"> {
  sure: string;
  onSure: () => void;
}

export function SureButton({ sure, onSure, children, ...rest }: SureButtonProps) {
  const { asks, press, reset } = useSure();
  return (
    <Button weight="danger" aria-live="polite" data-asks={asks} onBlur={reset} {...rest} onClick={() => press(onSure)}>
      {asks === "no" ? children : sure}
    </Button>
  );
}
