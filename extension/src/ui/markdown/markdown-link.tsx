/** A link that says where it goes: the host stands behind words that do not already say it. */
import { ExternalLink } from "lucide-react";
import type { ReactNode } from "react";
import { useText } from "../text/use-text.ts";
import { safeAddress } from "../../lib/safe-address.ts";

interface MarkdownLinkProps {
  address: string;
  /** What the words say, where they are plain ones. */
  words?: string | null;
  children: ReactNode;
}

export function MarkdownLink({ address, words = null, children }: MarkdownLinkProps) {
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
        {words !== null && sayings(url).includes(words) ? null : url.host || url.pathname}
        <ExternalLink aria-hidden size={10} />
      </span>
    </a>
  );
}

/** What an address is called in whole: in the browser's own form of it, in which no letter looks like another. */
function sayings({ href }: URL): string[] {
  return [href, href.replace(/^(?:https?:\/\/|mailto:)/u, "")].flatMap((whole) => [whole, whole.replace(/\/$/u, "")]);
}
