/** In a tab the browser shows what the page is called. */
import { useEffect } from "react";

export const NAME = "Outrigger";

/** Null: there is nothing to show yet. */
export function useDocumentTitle(title: string | null): void {
  useEffect(() => {
    document.title = title === null ? NAME : `${title} · ${NAME}`;
  }, [title]);
}
