/** What the person said while the turn ran, at the place where it was heard. */
import { CornerDownRight } from "lucide-react";
import { useText } from "../text/use-text.ts";

export function SteerMessage({ message }: { message: string }) {
  const text = useText();
  return (
    <div data-testid="steer-message" data-wash className="flex items-start gap-1.5 self-end rounded-lg rounded-ee-sm bg-sunken px-2.5 py-1.5 text-sm whitespace-pre-wrap">
      <CornerDownRight aria-hidden size={12} className="mt-1 shrink-0 text-soft" />
      <span className="sr-only">{text.turns.steered}: </span>
      <span className="min-w-0">{message}</span>
    </div>
  );
}
