/** Taking a turn back, or bringing it back: what of it, what happens to which file, and what is in the way. */
import { useState } from "react";
import type { UndoWhat } from "../../app/branches.ts";
import type { Chat } from "../chat/chat.ts";
import { Button } from "../common/button.tsx";
import { Sheet } from "../common/sheet.tsx";
import { Spinner } from "../common/spinner.tsx";
import { REFUSED } from "../panel/use-intents.ts";
import { useText } from "../text/use-text.ts";
import { type ConflictAnswer, ConflictChoice } from "./conflict-choice.tsx";
import { UndoFiles } from "./undo-files.tsx";
import { askUndo, type UndoWay, wayBack } from "./undo-way.ts";
import { useUndo } from "./use-undo.ts";

interface UndoSheetProps {
  chat: Chat;
  turn: string;
  direction: UndoWay;
  startsWith: UndoWhat;
  /** Of these files alone. */
  paths: readonly string[] | undefined;
  /** Turns after it, which go with it. */
  later: number;
  onClose: () => void;
}

const WHATS: readonly UndoWhat[] = ["both", "files", "conversation"];

export function UndoSheet({ chat, turn, direction, startsWith, paths, later, onClose }: UndoSheetProps) {
  const text = useText();
  const words = text.turns;
  const { look, conflicts, run } = useUndo(chat, turn, direction, paths);
  const [wanted, setWhat] = useState<UndoWhat>(startsWith);
  const [answer, setAnswer] = useState<ConflictAnswer | null>(null);
  const [busy, setBusy] = useState(false);
  const what = look === "no_host" && direction !== "replaced" ? "conversation" : wanted;
  const blocked = what !== "conversation" && (look === "looking" || look === "no_host" || (conflicts.length > 0 && answer === null));
  const isUndo = direction === "undo";
  const isReplaced = direction === "replaced";
  const only = paths === undefined ? {} : { paths };
  const act = async () => {
    setBusy(true);
    const report = await run(what, answer);
    setBusy(false);
    if (report === null) return;
    const count = report.files.filter((file) => file.conflict === null).length;
    const replaced = report.files.filter((file) => file.replaced).length;
    const back = wayBack(direction, report);
    const { session } = chat;
    const goBack = async () => {
      if (session === null || back === null) return;
      const next = await askUndo(chat.send, back, { session, turn, what, ...only });
      // What changed within these seconds is asked about.
      if (next !== REFUSED && next.state === "conflict") chat.openSheet({ kind: "undo", turn, direction: back, what, ...only });
    };
    chat.show({
      tone: "good",
      about: "turns",
      message: report.state === "nothing" ? words.nothing : words.did[direction](count),
      ...(session === null || back === null ? {} : { undo: () => void goBack() }),
      ...(replaced === 0 ? {} : { detail: words.replaced(replaced), undoLabel: words.bringReplaced(replaced) }),
    });
    onClose();
  };
  return (
    <Sheet
      testId="undo-sheet"
      title={isUndo ? words.undoTitle : isReplaced ? words.replacedTitle : words.redoTitle}
      hint={isReplaced ? words.replacedHint : later > 0 ? words.alsoLater(later) : undefined}
      onClose={onClose}
      actions={
        <>
          <Button weight={answer === "overwrite" && what !== "conversation" ? "danger" : "primary"} data-testid="undo-go" disabled={blocked || busy} onClick={() => void act()}>{isUndo ? words.doUndo : words.doRedo}</Button>
          <Button weight="quiet" onClick={onClose}>{text.common.cancel}</Button>
          {busy && <Spinner />}
        </>
      }
    >
      {!isReplaced && <fieldset className="flex flex-col gap-1">
        <legend className="pb-1 text-2xs font-medium text-soft">{isUndo ? words.what : words.whatRedo}</legend>
        {WHATS.map((each) => (
          <label key={each} data-testid={`undo-what-${each}`} className="flex cursor-pointer items-center gap-2 text-sm has-disabled:opacity-50">
            <input type="radio" name="undo-what" checked={each === what} data-begin={each === what || undefined} disabled={look === "no_host" && each !== "conversation"} onChange={() => setWhat(each)} className="size-3.5 cursor-pointer accent-accent" />
            {words.whats[each]}
          </label>
        ))}
      </fieldset>}
      {what === "conversation" ? (
        look === "no_host" && <p className="mt-2 text-xs text-warn">{words.noHost}</p>
      ) : look === "looking" ? (
        <p className="mt-2 flex items-center gap-2 text-xs text-soft"><Spinner size={12} />{words.looking}</p>
      ) : look === "no_host" ? (
        <p className="mt-2 text-xs text-warn">{words.noHostReplaced}</p>
      ) : typeof look !== "string" && look.length === 0 ? (
        <p className="mt-2 text-xs text-soft">{words.noFiles}</p>
      ) : (
        <div className="mt-3 flex flex-col gap-1.5">
          <p className="text-xs text-soft">{conflicts.length > 0 ? <span className="text-warn">{words.conflicts(conflicts.length)}</span> : words.changes(look.length)}</p>
          <UndoFiles files={look} />
          {conflicts.length > 0 && <ConflictChoice count={conflicts.length} value={answer} onChange={setAnswer} />}
        </div>
      )}
    </Sheet>
  );
}
