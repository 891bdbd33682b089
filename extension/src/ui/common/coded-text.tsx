/** Words of the host in which `backticks` mark a name: the name stands in the fixed-width face, the backticks go. */
import { Fragment } from "react";
import { VisibleText } from "./visible-text.tsx";

export function CodedText({ value }: { value: string }) {
  return value.split("`").map((part, index, parts) => {
    // An odd backtick at the end marks nothing and stays.
    const isCode = index % 2 === 1 && index < parts.length - 1;
    const text = index % 2 === 1 && !isCode ? `\`${part}` : part;
    return (
      // The parts of one text never change places.
      // oxlint-disable-next-line react/no-array-index-key
      <Fragment key={index}>{isCode ? <code><VisibleText value={text} oneLine /></code> : <VisibleText value={text} oneLine />}</Fragment>
    );
  });
}
