/** One command to run in a terminal, exactly as it must be typed, with a button that copies it. */
import { CopyButton } from "./copy-button.tsx";

export function CommandLine({ command }: { command: string }) {
  return (
    <div className="flex items-start gap-1 rounded-md border border-line bg-sunken py-1 pe-1 ps-2.5">
      <code className="min-w-0 flex-1 py-1 text-xs wrap-anywhere whitespace-pre-wrap select-all">{command}</code>
      <CopyButton value={command} />
    </div>
  );
}
