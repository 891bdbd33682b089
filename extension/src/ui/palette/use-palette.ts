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
  // Words that stood in the box when it came were written at another time: it is not open over them, and Tab is the page's.
  const [over, setOver] = useState<{ words: string; isOpen: boolean } | null>(null);
  const found = useMemo(() => paletteEntries(draft, commands), [draft, commands]);
  const isOld = over?.words !== draft;
  const entries = !isOld && over.isOpen ? found : null;
  // What is written anew begins at the first.
  const at = pointed.draft === draft ? Math.min(pointed.place, Math.max(0, (entries?.length ?? 1) - 1)) : 0;
  const point = (place: number) => setPointed({ draft, place });
  const write = (words: string) => {
    setDraft(words);
    setOver({ words, isOpen: true });
  };
  const choose = (entry: PaletteEntry) => {
    write(entry.continues ?? entry.rest ?? "");
    if (entry.continues === null) entry.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return false;
    if (entries === null) {
      // A command that was left there is no message: whoever presses Enter is shown what it would do.
      if (!isOld || !found?.length || event.key !== "Enter" || event.shiftKey) return false;
      write(draft);
      event.preventDefault();
      event.stopPropagation();
      return true;
    }
    const count = entries.length;
    const entry = entries[at];
    if (event.key === "Escape") setOver({ words: draft, isOpen: false });
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
