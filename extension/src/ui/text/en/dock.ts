/** Words of what stands above and in the message box: what waits to be said, what is to be done, modes. */
import { plural } from "./numbers.ts";

export const dock = {
  queue: "Waits to be said",
  queueCount: (count: number) => plural(count, "message waits", "messages wait"),
  kinds: { queue: "At the end", steer: "Next step" },
  kindHints: { queue: "Said when the turn is over", steer: "Said at the next step, while the turn runs" },
  become: { queue: "Say it at the end instead", steer: "Say it at the next step instead" },
  edit: "Edit",
  editLabel: "Message that waits",
  up: "Move up",
  down: "Move down",
  remove: "Remove",
  more: (message: string) => `More about “${message}”`,
  sendNow: "Send now",
  sendQueue: "Queue for the end of the turn",
  sendSteer: "Steer: say it at the next step",
  hint: "Add something (Ctrl+Enter: at once)",
  hintMac: "Add something (⌘ Enter: at once)",
  paused: (why: string) => `Paused: ${why}`,
  needsChild: (what: string) => `A sub-agent waits for you: ${what}`,
  todo: "To do",
  todoCount: (done: number, count: number) => `${done} of ${count} done`,
  todoStates: { pending: "open", in_progress: "under way", done: "done" },
  nearing: {
    step_cap: (share: string) => `${share} of the steps of this turn are used`,
    cost_cap: (share: string) => `${share} of the money of this turn is spent`,
    time_cap: (share: string) => `${share} of the time of this turn is over`,
    same_failure: () => "The same call fails again and again",
    no_progress: () => "Nothing has changed for a while",
    context_full: (share: string) => `${share} of the window is full`,
  },
};
