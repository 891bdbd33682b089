/** A file that is let go where nothing takes it would be opened by the browser, in the place of the panel. */
import { useEffect } from "react";
import { holdsFiles } from "../attach/use-dropped-files.ts";

export function useNoStrayDrop(): void {
  useEffect(() => {
    const refuse = (event: DragEvent) => {
      if (event.defaultPrevented || !holdsFiles(event.dataTransfer)) return;
      event.preventDefault();
      if (event.dataTransfer) event.dataTransfer.dropEffect = "none";
    };
    addEventListener("dragover", refuse);
    addEventListener("drop", refuse);
    return () => {
      removeEventListener("dragover", refuse);
      removeEventListener("drop", refuse);
    };
  }, []);
}
