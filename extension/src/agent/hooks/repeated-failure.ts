// Says so when the same call failed twice: the third time would pause the turn.
import { canonical } from "../../lib/canonical.ts";
import type { CallLog } from "../log.ts";
import type { Hook } from "./hook.ts";

export const repeatedFailure: Hook = {
  id: "repeated_failure",
  summary: "Tells the model when the same call failed twice, before it tries a third time.",
  isDefault: true,
  toolDone: (call, turn) => {
    if (call.result?.isError !== true) return null;
    const same = turn.steps.slice(turn.resumedAt).flatMap(({ calls }) => calls).filter((each) => each.result?.isError === true && signature(each) === signature(call));
    return same.length === 2 && same.at(-1)?.id === call.id ? `This call of ${call.tool} has now failed twice with the same arguments. Do not send it a third time: read its message, look at how things are now, and try another way.` : null;
  },
};

function signature(call: CallLog): string {
  return `${call.tool} ${canonical(call.args ?? call.argsText)}`;
}
