/** The commands of the palette for this conversation. Each can also be reached by mouse; what makes no sense yet is not offered. */
import { modelName } from "../models/model-name.ts";
import { useMemo } from "react";
import type { Mode, ThinkingLevel } from "../../agent/events.ts";
import type { Profile } from "../../agent/profile.ts";
import type { SessionView } from "../../agent/session-view.ts";
import type { AppView } from "../../app/views.ts";
import type { PaletteCommand } from "../palette/palette-entries.ts";
import { REFUSED } from "../panel/use-intents.ts";
import type { Catalogue } from "../text/catalogue.ts";
import { useText } from "../text/use-text.ts";
import type { Chat } from "./chat.ts";
import { changeDraft, readDraft } from "./drafts.ts";
import { grantOrigin } from "./grant-origin.ts";
import { profileName } from "./profile-name.ts";

interface CommandParts {
  chat: Chat;
  app: AppView;
  session: SessionView | null;
  profiles: readonly Profile[];
  onSchedules: () => void;
}

type Name = keyof ReturnType<typeof useText>["work"]["commands"];
/** Null: as the model does by itself. */
export const LEVELS: readonly (ThinkingLevel | null)[] = [null, "none", "low", "medium", "high"];

export function levelName(level: ThinkingLevel | null, { work }: Catalogue): string {
  return level === null ? work.thinkingDefault : work.thinkingLevels[level];
}

export function useCommands({ chat, app, session, profiles, onSchedules }: CommandParts): readonly PaletteCommand[] {
  const text = useText();
  const last = session?.turns.at(-1);
  const lastId = last?.message.id ?? null;
  const address = last?.fault?.origin;
  return useMemo(() => {
    const { work } = text;
    const id = chat.session;
    const command = (name: Name, run: (rest: string) => void, more: Partial<PaletteCommand> = {}): PaletteCommand => ({ name, ...work.commands[name], run, ...more });
    const mode = (wanted: Mode) => () => void chat.send("selectMode", { session: id, mode: wanted });
    const begun = id !== null && lastId !== null;
    const still = begun && !chat.busy;
    const retry = async () => {
      if (id !== null && lastId !== null && (await grantOrigin(chat, address, text))) void chat.send("retryTurn", { session: id, turn: lastId });
    };
    const fork = async () => {
      const made = id === null ? REFUSED : await chat.send("forkSession", { session: id });
      if (made !== REFUSED) chat.open(made.session);
    };
    const startWith = (rest: string) => {
      if (rest !== "") changeDraft(null, { text: [readDraft(null).text, rest].filter((words) => words !== "").join("\n") });
      chat.open(null);
    };
    return [
      ...(begun ? [command("btw", (question) => chat.openSheet({ kind: "side", session: null, question }), { takesText: true })] : []),
      command("plan", mode("plan")),
      command("ask", mode("ask")),
      ...(still ? [command("undo", () => chat.openSheet({ kind: "undo", turn: lastId, direction: "undo", what: "both" })), command("retry", () => void retry())] : []),
      ...(begun
        ? [
            command("tree", () => chat.openSheet({ kind: "tree" })),
            command("agents", () => chat.openSheet({ kind: "children" })),
            command("compact", () => void chat.send("compact", { session: id })),
            command("context", () => chat.openSheet({ kind: "context", page: "use" })),
            command("prompt", () => chat.openSheet({ kind: "context", page: "prompt" })),
            command("cost", () => chat.openSheet({ kind: "context", page: "cost" })),
          ]
        : []),
      command("model", (model) => void chat.send("selectModel", { session: id, model }), { choices: app.models.map((model) => ({ value: model.id, label: modelName(model, text), hint: model.modelName ?? "" })) }),
      command("profile", (profile) => void chat.send("selectProfile", { session: id, profile }), { choices: profiles.map((profile) => ({ value: profile.id, label: profileName(profile.id, profile.name, text) })) }),
      command("thinking", (chosen) => void chat.send("selectThinking", { session: id, thinking: LEVELS.find((level) => level === chosen) ?? null }), { choices: LEVELS.map((level) => ({ value: level ?? "default", label: levelName(level, text) })) }),
      command("schedule", onSchedules),
      ...(still ? [command("fork", () => void fork())] : []),
      command("new", startWith, { usesText: true }),
    ];
  }, [text, chat, lastId, address, app.models, profiles, onSchedules]);
}
