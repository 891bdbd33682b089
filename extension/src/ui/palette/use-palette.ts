/** The palette of a message box: open while someone writes a command in it; arrows, Enter, Tab and Escape are its own then. */
import { type KeyboardEvent, useId, useMemo, useState } from "react";
import { paletteEntries, type PaletteCommand, type PaletteEntry } from "./palette-entries.ts";
import { optionId } from "./palette-list.tsx";

export interface Palette {
  id: string;
  /** Null: no command is written. */
  entries: readonly PaletteEntry[] | null;
  at: number;
  point(place: number): void;
  choose(entry: PaletteEntry): void;
  /** Puts the words into the box, and is open over them. */
  write(words: string): void;
  /** True: the key was the palette's. */
  onKeyDown(event: KeyboardEvent): boolean;
  activeOption: string | undefined;
}

export function usePalette(draft: string, setDraft: (draft: string) => void, commands: readonly PaletteCommand[]): Palette {
  const id = useId();
  const [pointed, setPointed] = useState({ draft: "", place: 0 });
  // Words that stood in the box when it came were written at another time: there Tab and Enter are those of the page.
  const [over, setOver] = useState<string | null>(null);
  const found = useMemo(() => paletteEntries(draft, commands), [draft, commands]);
  const entries = over === draft ? found : null;
  // What is written anew begins at the first.
  const at = pointed.draft === draft ? Math.min(pointed.place, Math.max(0, (entries?.length ?? 1) - 1)) : 0;
  const point = (place: number) => setPointed({ draft, place });
  const write = (words: string) => {
    setDraft(words);
    setOver(words);
  };
  const choose = (entry: PaletteEntry) => {
    write(entry.continues ?? entry.rest ?? "");
    if (entry.continues === null) entry.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (entries === null || event.nativeEvent.isComposing) return false;
    const count = entries.length;
    const entry = entries[at];
    if (event.key === "Escape") setOver(null);
    else if (event.key === "ArrowDown") point(count === 0 ? 0 : (at + 1) % count);
    else if (event.key === "ArrowUp") point(count === 0 ? 0 : (at - 1 + count) % count);
    else if ((event.key === "Enter" && !event.shiftKey) || event.key === "Tab") {
      // What is no command may be a message that begins with a slash.
      if (!entry) return false;
      choose(entry);
    } else return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  };
  return { id, entries, at, point, choose, write, onKeyDown, activeOption: entries === null || entries.length === 0 ? undefined : optionId(id, at) };
}
