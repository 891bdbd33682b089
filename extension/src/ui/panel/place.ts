/**
 * Where in the panel one is: which screen, which part of it, which session. Kept in the address, so that a reload comes back to it
 * and a notification or another page of ours can lead to it.
 */
export const SCREENS = ["chat", "changes", "terminal", "history", "settings", "connection"] as const;

export type Screen = (typeof SCREENS)[number];

/** These show one session; the others are about everything. */
export const SESSION_SCREENS = ["chat", "changes", "terminal"] as const satisfies readonly Screen[];

export interface Place {
  readonly screen: Screen;
  /** A part of a screen, such as a section of the settings, or a turn of the changes or the conversation. */
  readonly part: string | null;
  /** Null is a new one; undefined, the one that is live. */
  readonly session: string | null | undefined;
}

export function readPlace(hash: string): Place {
  const words = new URLSearchParams(hash.replace(/^#/, ""));
  const screen = SCREENS.find((known) => known === words.get("screen")) ?? "chat";
  const session = words.get("session");
  return { screen, part: words.get("part"), session: session === null ? undefined : session === "" ? null : session };
}

export function writePlace({ screen, part, session }: Place): string {
  const words = new URLSearchParams();
  if (screen !== "chat") words.set("screen", screen);
  if (part !== null) words.set("part", part);
  if (session !== undefined) words.set("session", session ?? "");
  return words.size === 0 ? "" : `#${words.toString()}`;
}

/** One step back: from a part of a part to the part, from a part to its screen, from a screen to the chat. */
export function parentOf({ screen, part }: Place): Pick<Place, "screen" | "part"> {
  if (part === null) return { screen: "chat", part: null };
  // What was reached from the chat goes back to it.
  if (part === "models/first") return { screen: "chat", part: null };
  const end = part.lastIndexOf("/");
  return { screen, part: end === -1 ? null : part.slice(0, end) };
}
