/** The commands that fit what is written, over the message box. The keys stay in the box; the mouse works here. */
import { useEffect, useRef } from "react";
import { classNames } from "../common/class-names.ts";
import { useText } from "../text/use-text.ts";
import type { PaletteEntry } from "./palette-entries.ts";

interface PaletteListProps {
  id: string;
  entries: readonly PaletteEntry[];
  at: number;
  onPoint: (place: number) => void;
  onChoose: (entry: PaletteEntry) => void;
}

export function optionId(list: string, place: number): string {
  return `${list}-${place}`;
}

export function PaletteList({ id, entries, at, onPoint, onChoose }: PaletteListProps) {
  const text = useText();
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.children[at]?.scrollIntoView({ block: "nearest" });
  }, [at]);
  return (
    // A select cannot be steered from the box that is typed in.
    // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role
    <div ref={list} id={id} role="listbox" tabIndex={0} aria-label={text.work.palette} data-testid="palette" className="absolute inset-x-0 bottom-full z-20 mb-1 max-h-72 overflow-y-auto rounded-lg border border-line bg-surface p-1 shadow-float">
      {entries.length === 0 && <p className="px-2 py-1.5 text-xs text-soft">{text.work.noCommand}</p>}
      {entries.map((entry, place) => (
        // The focus stays in the message box, which has the keys and names the option that is meant.
        // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
        <div
          key={entry.key}
          id={optionId(id, place)}
          // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- as above.
          role="option"
          aria-selected={place === at}
          data-testid="palette-option"
          data-name={entry.key}
          onMouseMove={() => place !== at && onPoint(place)}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onChoose(entry)}
          className={classNames("flex cursor-pointer items-baseline gap-2 rounded-md px-2 py-1", place === at && "bg-sunken")}
        >
          <span className="min-w-0 flex-1">
            <span className="block truncate text-sm font-medium">{entry.title}</span>
            {entry.hint !== "" && <span className="block text-2xs wrap-anywhere text-soft">{entry.hint}</span>}
          </span>
          {entry.typed !== "" && <code className="shrink-0 text-2xs text-soft">{entry.typed}</code>}
        </div>
      ))}
    </div>
  );
}
