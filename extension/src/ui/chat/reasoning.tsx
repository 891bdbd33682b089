/** The model's reasoning: shut, unless someone wants it. */
import { Disclosure } from "../common/disclosure.tsx";
import { useText } from "../text/use-text.ts";

export function Reasoning({ reasoning, live }: { reasoning: string; live: boolean }) {
  const text = useText();
  return (
    <Disclosure summary={<span className={live ? "animate-breathe" : ""}>{live ? text.chat.thinking : text.chat.thought}</span>}>
      <p className="border-l-2 border-line pl-3 text-xs whitespace-pre-wrap text-soft">{reasoning}</p>
    </Disclosure>
  );
}
