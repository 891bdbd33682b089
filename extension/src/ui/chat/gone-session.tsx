/** In the place of a conversation that is not there any more: that it is so, and the way on. Comes it back, it stands here again. */
import { Button } from "../common/button.tsx";
import { EmptyState } from "../common/empty-state.tsx";
import { useText } from "../text/use-text.ts";

export function GoneSession({ onNew }: { onNew: () => void }) {
  const text = useText();
  return (
    <div data-testid="gone-session" className="flex min-h-0 flex-1 flex-col overflow-y-auto">
      <EmptyState title={text.sessions.gone}>
        <p className="pb-3">{text.sessions.goneHint}</p>
        <Button data-testid="gone-new" onClick={onNew}>{text.header.newSession}</Button>
      </EmptyState>
    </div>
  );
}
