/** Opens the system's folder dialog through the host, and takes what was picked. */
import { useCallback, useState } from "react";
import type { WorkspacePick } from "../../app/views.ts";
import { usePanel } from "../panel/panel-context.ts";
import { REFUSED } from "../panel/use-intents.ts";
import { useText } from "../text/use-text.ts";

export type Unavailable = Extract<WorkspacePick, { state: "unavailable" }>;

export interface PickWorkspace {
  /** The dialog stands open somewhere on the screen. */
  readonly isOpen: boolean;
  /** Why there is no dialog here, with the command that does the same. */
  readonly unavailable: Unavailable | null;
  readonly pick: () => void;
}

export function usePickWorkspace(): PickWorkspace {
  const text = useText();
  const { sessionId, send, show } = usePanel();
  const [isOpen, setOpen] = useState(false);
  const [unavailable, setUnavailable] = useState<Unavailable | null>(null);
  const pick = useCallback(async () => {
    setOpen(true);
    setUnavailable(null);
    const picked = await send("pickWorkspace", {});
    setOpen(false);
    if (picked === REFUSED || picked.state === "cancelled") return;
    if (picked.state === "unavailable") return setUnavailable(picked);
    if (picked.workspace === null) return;
    await send("selectWorkspace", { session: sessionId, workspace: picked.workspace });
    show({ tone: "good", message: picked.state === "added" ? text.workspace.added(picked.workspace) : text.workspace.known(picked.workspace) });
  }, [send, show, sessionId, text]);
  return { isOpen, unavailable, pick: () => void pick() };
}
