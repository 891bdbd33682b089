/** The model's reasoning: shut, unless someone wants it. */
import { Disclosure } from "../common/disclosure.tsx";
import { Spinner } from "../common/spinner.tsx";
import { useText } from "../text/use-text.ts";

export function Reasoning({ reasoning, live }: { reasoning: string; live: boolean }) {
  const text = useText();
  return (
    <Disclosure summary={<span className="flex items-center gap-1.5">{live ? text.chat.thinking : text.chat.thought}{live && <Spinner size={11} />}</span>}>
      <p className="border-s-2 border-line ps-3 text-xs whitespace-pre-wrap text-soft">{reasoning}</p>
    </Disclosure>
  );
}
