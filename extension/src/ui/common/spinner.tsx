/** Says that something runs. Where motion is unwanted it stands still and still reads as "running". */
import { LoaderCircle } from "lucide-react";

export function Spinner({ size = 14 }: { size?: number }) {
  return <LoaderCircle aria-hidden size={size} className="shrink-0 animate-turn text-accent" />;
}
