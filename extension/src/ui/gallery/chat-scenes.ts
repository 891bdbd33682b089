// States of the conversation beyond the plain ones: choosing, queueing, going back, counting.
import { app, connected } from "./basics.ts";
import type { Scene } from "./fake-client.ts";
import { asking, session, step, turn } from "./parts.ts";
import { commandPlan, editPlan, hunksPlan, patchPlan } from "./plans.ts";

const ask = "Fix the failing test and commit it";
const waiting = { status: "needs_you" as const, endedAt: null };
const answers: Scene["answers"] = {
  proposeRules: {
    proposals: [
      { target: { tool: "fs_edit", workspace: "app", path: "src/basket.js" }, alsoMatches: [] },
      { target: { tool: "fs_edit", workspace: "app", path: "src/**" }, alsoMatches: [{ call: "x1", summary: "Edit src/sum.js (+2 −1)" }, { call: "x2", summary: "Edit src/shipping/rates.js (+1 −1)" }] },
    ],
  },
  previewRule: { alsoMatches: [{ call: "x1", summary: "Edit src/sum.js (+2 −1)" }] },
};
const scene = (turns: Parameters<typeof session>[1], more: Partial<Scene> = {}): Scene => ({ connection: connected, app, session: session(ask, turns), answers, ...more });

export const chatScenes: Record<string, Scene> = {
  "approve-hunks": scene([turn(ask, [step({ text: "Three places forget the default.", calls: [asking(hunksPlan)] })], waiting)]),
  "approve-patch": scene([turn(ask, [step({ text: "One patch for both files.", calls: [asking(patchPlan)] })], waiting)]),
  "approve-edited": scene([turn(ask, [step({ calls: [{ ...asking(commandPlan), argsText: '{"command":"node_test","args":["--test","test/with space.test.js"],"timeout_ms":120000}', written: '{"command":"node_test"}' }] })], waiting)]),
  "approve-args": scene([turn(ask, [step({ calls: [{ ...asking(editPlan), argsText: '{"path":"src/sum.js","edits":[{"old_text":"  return a - b;","new_text":"  // Subtracting was a slip of the finger.\\n  return a + b;"}],"create":false}' }] })], waiting)]),
};
