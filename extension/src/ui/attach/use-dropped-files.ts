/** Files that are dragged over a part of the panel and let go there. */
import { type DragEvent, useMemo, useState } from "react";
import { useSteady } from "../common/use-steady.ts";

export interface DroppedFiles {
  /** They are held over it now. */
  over: boolean;
  handlers: { onDragOver: (event: DragEvent) => void; onDragLeave: (event: DragEvent) => void; onDrop: (event: DragEvent) => void };
}

export function useDroppedFiles(take: (files: readonly File[]) => void): DroppedFiles {
  const [over, setOver] = useState(false);
  const taken = useSteady(take);
  const handlers = useMemo(
    () => ({
      onDragOver: (event: DragEvent) => {
        if (!holdsFiles(event.dataTransfer)) return;
        event.preventDefault();
        setOver(true);
      },
      onDragLeave: (event: DragEvent) => {
        if (!(event.relatedTarget instanceof Node && event.currentTarget.contains(event.relatedTarget))) setOver(false);
      },
      onDrop: (event: DragEvent) => {
        setOver(false);
        if (!holdsFiles(event.dataTransfer)) return;
        event.preventDefault();
        taken([...event.dataTransfer.files]);
      },
    }),
    [taken],
  );
  return { over, handlers };
}

/** While they are dragged their kind is known, and no more. */
export function holdsFiles(held: Pick<DataTransfer, "items"> | null): boolean {
  return [...(held?.items ?? [])].some(({ kind }) => kind === "file");
}
