/** The files this session touched, turn by turn, from the host's journal: what changed in each, and the way back. */
import { FileDiff } from "lucide-react";
import { useMemo, useState } from "react";
import type { TurnChanges } from "../../app/views.ts";
import { AskedBody } from "../common/asked-body.tsx";
import { Button } from "../common/button.tsx";
import { EmptyState } from "../common/empty-state.tsx";
import { ScreenBody } from "../common/screen-body.tsx";
import { Segments } from "../common/segments.tsx";
import { usePanel } from "../panel/panel-context.ts";
import { useAsked } from "../panel/use-asked.ts";
import { useMatches } from "../panel/use-wide.ts";
import { useText } from "../text/use-text.ts";
import { changesStamp, filesBack } from "./changed-paths.ts";
import { ConflictSheet } from "./conflict-sheet.tsx";
import { TurnChangesCard } from "./turn-changes.tsx";
import { useTakeBack } from "./use-take-back.ts";

/** Two columns of code need this much. */
const TWO_COLUMNS = "(min-width: 640px)";

export function ChangesScreen() {
  const { session } = usePanel();
  if (session === null) return <NoChanges />;
  return <SessionChanges key={session.id} session={session.id} stamp={changesStamp(session)} />;
}

function SessionChanges({ session, stamp }: { session: string; stamp: string }) {
  const text = useText();
  const words = text.changes;
  const { place, go } = usePanel();
  const asked = useAsked("listChanges", { session, turn: null }, stamp);
  const isWide = useMatches(TWO_COLUMNS);
  const [layout, setLayout] = useState<"unified" | "split">("unified");
  const takeBack = useTakeBack(session, asked.reload);
  const turn = place.part;
  const hasRoom = isWide && asked.value?.turns.some(isShown) === true;
  return (
    <ScreenBody label={text.header.screens.changes} testId="changes" wide>
      <div className="flex flex-col gap-4 px-3 py-3">
        {(hasRoom || turn !== null) && (
          <div className="flex flex-wrap items-center justify-between gap-2">
            {turn === null ? <span /> : <Button weight="quiet" onClick={() => go({ part: null })}>{words.allTurns}</Button>}
            {hasRoom && <div className="w-64"><Segments hideLabel label={words.layout} testId="diff-layout" value={layout} choices={[{ value: "unified", title: words.unified }, { value: "split", title: words.split }]} onChoose={setLayout} /></div>}
          </div>
        )}
        <AskedBody asked={asked}>{(value) => <Turns turns={turn === null ? value.turns : value.turns.filter((each) => each.turn === turn)} split={layout === "split" && hasRoom} busy={takeBack.busy || asked.loading} onTakeBack={takeBack.run} />}</AskedBody>
      </div>
      {takeBack.conflict && <ConflictSheet conflict={takeBack.conflict} onGo={takeBack.goOn} onClose={takeBack.close} />}
    </ScreenBody>
  );
}

interface TurnsProps {
  turns: readonly TurnChanges[];
  split: boolean;
  /** Something is done, or what it did is not known yet: a button may be about to mean the opposite. */
  busy: boolean;
  onTakeBack: ReturnType<typeof useTakeBack>["run"];
}

function Turns({ turns, split, busy, onTakeBack }: TurnsProps) {
  const { session } = usePanel();
  const messages = useMemo(() => new Map(session?.turns.flatMap((turn) => (turn.id === null ? [] : [[turn.id, turn.message.text] as const]))), [session]);
  const backOf = (turn: string) => filesBack(session?.undone.find((each) => each.turn === turn));
  const shown = turns.filter(isShown).toReversed();
  if (shown.length === 0) return <NoChanges />;
  return shown.map((turn, place) => <TurnChangesCard key={`${turn.session} ${turn.turn}`} changes={turn} message={messages.get(turn.turn) ?? null} later={shown.slice(0, place).filter(({ state, files }) => state !== "undone" && files.length > 0).length} back={backOf(turn.turn)} split={split} busy={busy} onTakeBack={onTakeBack} />);
}

function isShown({ files, commands }: TurnChanges): boolean {
  return files.length > 0 || commands > 0;
}

function NoChanges() {
  const text = useText();
  return <EmptyState icon={<FileDiff aria-hidden size={22} />} title={text.changes.none}>{text.changes.noneHint}</EmptyState>;
}
