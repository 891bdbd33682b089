/** In a tab the browser shows what the page is called. */
import { useEffect } from "react";

const NAME = "Outrigger";

export function useDocumentTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · ${NAME}`;
  }, [title]);
}
