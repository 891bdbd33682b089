/** An act that cannot be taken back: the first press asks, the second does it. Looking away takes the question back. */
import { type ComponentProps, useState } from "react";
import { Button } from "./button.tsx";

interface SureButtonProps extends Omit<ComponentProps<typeof Button>, "onClick"> {
  sure: string;
  onSure: () => void;
}

export function SureButton({ sure, onSure, children, ...rest }: SureButtonProps) {
  const [asks, setAsks] = useState(false);
  const press = () => {
    setAsks(!asks);
    if (asks) onSure();
  };
  return (
    <Button weight="danger" aria-live="polite" onBlur={() => setAsks(false)} {...rest} onClick={press}>
      {asks ? sure : children}
    </Button>
  );
}
