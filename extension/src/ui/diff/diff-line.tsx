/** One line of a diff: its number, its sign, its text. The sign is real text, so that copying and readers keep it. */
import { classNames } from "../common/class-names.ts";
import { VisibleText } from "../common/visible-text.tsx";
import { NoteText } from "./note-text.tsx";
import type { LineKind, NumberedLine } from "./hunk.ts";

const look: Record<LineKind, string> = {
  same: "",
  added: "bg-good-wash",
  removed: "bg-bad-wash",
  note: "text-soft italic",
};
const signs: Record<LineKind, string> = { same: " ", added: "+", removed: "-", note: "\\" };
const signLook: Record<LineKind, string> = { same: "", added: "text-good", removed: "text-bad", note: "" };

interface DiffLineProps {
  line: NumberedLine;
  digits: number;
  /** The change is left out: what it would have taken away and put there is struck, and what stands around it stands. */
  struck?: boolean;
}

export function DiffLine({ line, digits, struck = false }: DiffLineProps) {
  const isStruck = struck && (line.kind === "added" || line.kind === "removed");
  return (
    <div className={classNames("flex min-w-full", look[line.kind])} data-line={line.kind}>
      <span
        aria-hidden
        className="sticky left-0 shrink-0 bg-inherit px-1.5 text-right text-2xs leading-[inherit] text-soft tabular-nums select-none"
        style={{ minWidth: `${digits + 2}ch` }}
      >
        {line.number}
      </span>
      <span className={classNames("w-4 shrink-0 text-center select-none", signLook[line.kind])}>{signs[line.kind]}</span>
      <span className={classNames("min-w-0 flex-1 pr-2 break-words whitespace-pre-wrap", isStruck && "line-through decoration-soft/60")}>
        {line.kind === "note" ? <NoteText value={line.text} /> : <VisibleText value={line.text} />}
      </span>
    </div>
  );
}
