/** What the announcer says. */
import type { Catalogue } from "../catalogue.ts";

export const announce: Catalogue["announce"] = {
  done: "本轮已完成。",
  failed: "本轮失败了。",
  cancelled: "本轮已停止。",
  paused: "智能体已暂停，在等你。",
  asks: (question: string) => `智能体问你：${question}`,
  waiting: (what) => `需要你的批准：${what}`,
  elsewhere: {
    needs_you: (title) => `“${title}”需要你。`,
    done: (title) => `“${title}”已完成。`,
    failed: (title) => `“${title}”失败了。`,
  },
};
