/** A link that says where it goes: the host stands behind words that do not already say it. */
import { ExternalLink } from "lucide-react";
import type { ReactNode } from "react";
import { useText } from "../text/use-text.ts";
import { safeAddress } from "./safe-address.ts";

export function MarkdownLink({ address, children }: { address: string; children: ReactNode }) {
  const text = useText();
  const url = safeAddress(address);
  if (!url) return <>{children} <code className="text-xs text-soft">{address}</code></>;
  return (
    <a
      href={url.href}
      target="_blank"
      rel="noopener noreferrer nofollow"
      title={text.chat.linkTo(url.href)}
      className="text-accent underline decoration-accent/40 underline-offset-2 hover:decoration-accent"
    >
      {children}
      <span className="ms-1 inline-flex items-center gap-0.5 align-baseline text-2xs text-soft">
        {url.host || url.pathname}
        <ExternalLink aria-hidden size={10} />
      </span>
    </a>
  );
}
