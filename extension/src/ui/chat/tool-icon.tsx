/** A picture for a tool, by the family its name begins with. Tools of families we do not know get a wrench. */
import type { ReactNode } from "react";
import { FileText, FolderOpen, GitBranch, Search, SquareTerminal, Wrench } from "lucide-react";

const families: Record<string, ReactNode> = {
  fs: <FileText size={13} />,
  search: <Search size={13} />,
  git: <GitBranch size={13} />,
  exec: <SquareTerminal size={13} />,
  workspace: <FolderOpen size={13} />,
};

export function ToolIcon({ tool }: { tool: string }) {
  const family = tool.slice(0, tool.indexOf("_"));
  return (
    <span aria-hidden className="shrink-0 text-soft">
      {Object.hasOwn(families, family) ? families[family] : <Wrench size={13} />}
    </span>
  );
}
