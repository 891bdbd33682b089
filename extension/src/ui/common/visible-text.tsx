/** Text in which nothing hides: control, zero-width and direction characters stand as their codes. */
import { Fragment } from "react";
import { splitInvisible } from "../../lib/split-invisible.ts";
import { useText } from "../text/use-text.ts";

interface VisibleTextProps {
  value: string;
  /** A path or an argument: line feeds and tabs hide too. */
  oneLine?: boolean;
  /** A path that may take several lines: it breaks after a slash before it breaks inside a name. Not where it is cut: `<wbr>` breaks there, too. */
  wraps?: boolean;
}

export function VisibleText({ value, oneLine = false, wraps = false }: VisibleTextProps) {
  const text = useText();
  return splitInvisible(value, oneLine ? "one" : "many").map((piece) =>
    piece.hidden ? (
      <span key={piece.at} title={piece.kind && text.common.hidden[piece.kind]} className="mx-px rounded-sm border border-warn/50 bg-warn-wash px-0.5 font-mono text-2xs font-medium text-warn">
        {piece.text}
      </span>
    ) : (
      wraps ? <Breakable key={piece.at} value={piece.text} /> : piece.text
    ),
  );
}

function Breakable({ value }: { value: string }) {
  const parts = value.split(/(?<=[/\\])(?=[^/\\])/u);
  // oxlint-disable-next-line react/no-array-index-key -- the parts of one text, which have no order but this.
  return parts.length === 1 ? value : parts.map((part, place) => <Fragment key={place}>{place > 0 && <wbr />}{part}</Fragment>);
}
