/** Copies a text and says that it did. */
import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { useText } from "../text/use-text.ts";
import { IconButton } from "./icon-button.tsx";

/** Long enough to be seen, short enough that a second copy is confirmed too. */
const CONFIRMED_MS = 1600;

export function CopyButton({ value, label }: { value: string; label?: string }) {
  const text = useText();
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), CONFIRMED_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = () => {
    void navigator.clipboard.writeText(value).then(() => setCopied(true));
  };
  return (
    <IconButton
      label={copied ? text.common.copied : (label ?? text.common.copy)}
      icon={copied ? <Check size={14} className="text-good" /> : <Copy size={14} />}
      onClick={copy}
    />
  );
}
