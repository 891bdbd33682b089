// Row 47 (user wish 13): when a person is told that something waits, is done or failed, and what the button shows; the two differ.
import { expect, test } from "vitest";
import type { AgentEvent, StoredEvent } from "../agent/events.ts";
import { SessionScript } from "../testing/session-script.ts";
import { attentionOf, badgeOf } from "./attention.ts";

const stored = (...events: readonly AgentEvent[]): readonly StoredEvent[] => events.map((event, place) => ({ session: "s", seq: place + 1, id: String(place), parent: null, at: 0, event }));
const last = (script: SessionScript) => stored(script.events.at(-1)?.event as AgentEvent);

test("a card waits", () => {
  const script = new SessionScript().say("x").begin().askFor("fs_edit");
  expect(attentionOf(last(script), script.log)).toBe("needs_you");
  // Something else happened while it waits: that is not told again.
  expect(attentionOf(stored({ type: "TitleSet", title: "t", by: "user" }), script.log)).toBeNull();
});

test("what a rule answered at once is nobody's business", () => {
  const script = new SessionScript().say("x").begin().askFor("fs_edit");
  const asked = last(script);
  expect(attentionOf(asked, script.allow("ok").log)).toBeNull();
});

test.each([["complete", "done"], ["failed", "failed"], ["cancelled", null]] as const)("a turn that ended as %s is told as %s", (outcome, kind) => {
  const script = new SessionScript().say("x").begin().end(outcome);
  expect(attentionOf(last(script), script.log)).toBe(kind);
});

test("a sub-agent's end is told by the session it belongs to; what it asks is told at once", () => {
  const script = new SessionScript().say("x").begin();
  const child = (of: SessionScript) => ({ ...of.log, origin: { kind: "subagent" as const, session: "p", by: "c" } });
  script.askFor("fs_edit");
  expect(attentionOf(last(script), child(script))).toBe("needs_you");
  script.allow("ok").end();
  expect(attentionOf(last(script), child(script))).toBeNull();
});

test("the button: what waits comes first, then what failed, then what is done", () => {
  const texts = [badgeOf({ waiting: 2, unseen: "done" }), badgeOf({ waiting: 0, unseen: "failed" }), badgeOf({ waiting: 0, unseen: "done" }), badgeOf({ waiting: 0, unseen: null })];
  expect(texts.map(({ text }) => text)).toEqual(["2", "!", "✓", ""]);
  expect(new Set(texts.slice(0, 3).map(({ color }) => color)).size).toBe(3);
});
