/** The state of a session as a badge. A session that never ran has none. */
import type { SessionStatus } from "../../agent/session-view.ts";
import { Badge, type Tone } from "../common/badge.tsx";
import { useText } from "../text/use-text.ts";

const tones: Record<SessionStatus, Tone> = { idle: "neutral", running: "accent", needs_you: "warn", complete: "good", cancelled: "neutral", failed: "bad" };

export function SessionState({ status }: { status: SessionStatus }) {
  const text = useText();
  return status === "idle" ? null : <Badge tone={tones[status]}>{text.sessions.states[status]}</Badge>;
}
