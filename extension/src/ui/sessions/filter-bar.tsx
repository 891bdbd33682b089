/** Which sessions are listed: by state, folder, tag, pin. */
import type { SessionStatus } from "../../agent/session-view.ts";
import { CheckField } from "../common/check-field.tsx";
import { SelectField } from "../common/select-field.tsx";
import { usePanel } from "../panel/panel-context.ts";
import { useText } from "../text/use-text.ts";
import type { Filter } from "./use-search.ts";

const STATES = ["running", "needs_you", "complete", "cancelled", "failed"] as const satisfies readonly SessionStatus[];

export function FilterBar({ filter, onChange }: { filter: Filter; onChange: (filter: Filter) => void }) {
  const text = useText();
  const words = text.sessions;
  const { sessions } = usePanel();
  const workspaces = [...new Set(sessions.flatMap(({ workspace }) => workspace ?? []))].toSorted();
  const tags = [...new Set(sessions.flatMap(({ tags: own }) => own ?? []))].toSorted();
  const any = { value: "", title: words.any };
  return (
    <div data-testid="filter-bar" className="grid shrink-0 grid-cols-2 gap-2 px-2 pb-2">
      <SelectField label={words.state} testId="filter-state" value={filter.status as string} choices={[any, ...STATES.map((value) => ({ value: value as string, title: words.states[value] }))]} onChoose={(status) => onChange({ ...filter, status: status as Filter["status"] })} />
      <SelectField label={text.workspace.label} testId="filter-workspace" value={filter.workspace} choices={[any, ...workspaces.map((value) => ({ value, title: value }))]} onChoose={(workspace) => onChange({ ...filter, workspace })} />
      {tags.length > 0 && <SelectField label={words.tag} testId="filter-tag" value={filter.tag} choices={[any, ...tags.map((value) => ({ value, title: value }))]} onChoose={(tag) => onChange({ ...filter, tag })} />}
      <div className="flex items-end pb-1.5"><CheckField label={words.onlyPinned} testId="filter-pinned" checked={filter.pinned} onChange={(pinned) => onChange({ ...filter, pinned })} /></div>
    </div>
  );
}
