/** How long a call takes: the host's own measure once it is done, so that waiting for a person does not count. */
import type { ToolCallView } from "../../agent/session-view.ts";
import { Elapsed } from "../common/elapsed.tsx";

export function ToolTime({ call }: { call: ToolCallView }) {
  const took = call.result?.durationMs ?? null;
  if (took !== null) return <Elapsed from={0} to={took} />;
  if (call.startedAt === null || (call.endedAt === null && call.state !== "running")) return null;
  return <Elapsed from={call.startedAt} to={call.endedAt} />;
}
