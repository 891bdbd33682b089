/** Tells the engine what the person has before them: what they see themselves needs no notification. */
import { useEffect } from "react";
import type { PanelClient } from "../../app/panel-client.ts";
import { useVisible } from "./use-visible.ts";

export function useLooking(client: PanelClient, session: string | null): void {
  const isVisible = useVisible();
  useEffect(() => {
    const look = () => client.look({ session, isVisible });
    look();
    // A tab may have been moved to another window.
    addEventListener("focus", look);
    return () => removeEventListener("focus", look);
  }, [client, session, isVisible]);
}
