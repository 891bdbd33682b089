/** What was said exactly, shut until someone wants to know. */
import { useText } from "../text/use-text.ts";
import { CodeBlock } from "./code-block.tsx";
import { Disclosure } from "./disclosure.tsx";

export function FaultDetail({ detail }: { detail: string | null }) {
  const text = useText();
  return detail !== null && <Disclosure summary={text.faults.original}><CodeBlock code={detail} wraps /></Disclosure>;
}
