/** Before everything goes: what that is, in a sheet of its own. Its button takes nothing at first, so that a double click only opens it. */
import { useArmed } from "../approvals/use-armed.ts";
import { Button } from "../common/button.tsx";
import { Sheet } from "../common/sheet.tsx";
import { DOUBLE_CLICK_MS } from "../common/use-sure.ts";
import { useText } from "../text/use-text.ts";

export function EraseSheet({ onErase, onClose }: { onErase: () => void; onClose: () => void }) {
  const text = useText();
  const words = text.settings.data;
  const armed = useArmed(DOUBLE_CLICK_MS);
  return (
    <Sheet
      title={words.eraseAllTitle}
      hint={words.eraseHint}
      testId="erase-sheet"
      onClose={onClose}
      actions={
        <>
          <Button weight="danger" data-by-hand data-testid="erase-all-now" disabled={!armed} settling={!armed} onClick={onErase}>{words.erase}</Button>
          <Button weight="quiet" onClick={onClose}>{text.common.cancel}</Button>
        </>
      }
    >
      <ul className="list-inside list-disc text-sm">
        {words.eraseAllParts.map((part) => <li key={part}>{part}</li>)}
      </ul>
    </Sheet>
  );
}
