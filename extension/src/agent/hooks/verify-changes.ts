// Asks once when the model ends with changes that nothing was run after.
import type { Hook } from "./hook.ts";

export const verifyChanges: Hook = {
  id: "verify_changes",
  summary: "Asks the model once to check its changes when it ran nothing after the last of them.",
  isDefault: false,
  responseComplete: (turn) => {
    const done = turn.steps.flatMap(({ calls }) => calls).filter((call) => call.result?.isError === false);
    const changed = done.findLastIndex((call) => call.asked?.plan.preview.kind === "files");
    const ran = done.findLastIndex((call) => call.asked?.plan.preview.kind === "command" || typeof call.args?.["command"] === "string");
    return changed > ran ? "You changed files and ran nothing after that. Run what covers the change and look at its output, or say why that is not possible." : null;
  },
};
