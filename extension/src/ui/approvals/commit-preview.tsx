/** The commit as it will stand in the history: message, author, branch, hooks, and what goes into it. */
import { GitBranch, TriangleAlert } from "lucide-react";
import type { Plan, Preview } from "../../wire/plan.ts";
import { Badge } from "../common/badge.tsx";
import { VisibleText } from "../common/visible-text.tsx";
import { useText } from "../text/use-text.ts";
import { FactList } from "../common/fact-list.tsx";
import { FilesPreview } from "./files-preview.tsx";
import type { OpenedParts } from "./use-opened-parts.ts";

interface CommitPreviewProps {
  plan: Plan;
  commit: Extract<Preview, { kind: "commit" }>;
  parts: OpenedParts;
}

export function CommitPreview({ plan, commit, parts }: CommitPreviewProps) {
  const text = useText();
  const words = text.approval.commit;
  return (
    <div>
      <p className="bg-sunken px-3 py-2 font-mono text-xs break-words whitespace-pre-wrap"><VisibleText value={commit.message} /></p>
      <FactList
        facts={[
          { name: words.author, value: <VisibleText value={commit.author} oneLine /> },
          {
            name: words.branch,
            value: (
              <span className="inline-flex flex-wrap items-center gap-1.5">
                <GitBranch aria-hidden size={12} className="text-soft" />
                <code><VisibleText value={commit.branch ?? text.common.nothing} oneLine /></code>
                {commit.amend && <Badge tone="warn">{words.amend}</Badge>}
              </span>
            ),
          },
          { name: words.hooks, value: commit.hooks.length > 0 ? commit.hooks.map((hook) => <code key={hook} className="block"><VisibleText value={hook} oneLine /></code>) : text.common.nothing },
        ]}
      />
      {commit.unsigned && (
        <p className="flex items-start gap-1.5 px-3 pb-2 text-xs text-warn">
          <TriangleAlert aria-hidden size={12} className="mt-0.5 shrink-0" />
          {words.unsigned}
        </p>
      )}
      {commit.files.length > 0 && <div className="border-t border-line"><FilesPreview plan={plan} files={commit.files} parts={parts} /></div>}
    </div>
  );
}
