/** One command to run in a terminal, exactly as it must be typed, with a button that copies it. */
import { CopyButton } from "./copy-button.tsx";

export function CommandLine({ command }: { command: string }) {
  return (
    <div className="flex items-start gap-1 rounded-md border border-line bg-sunken py-1 pe-1 ps-2.5">
      {/* Between its words alone: a line that ends after `--` is no option any more. */}
      <code className="min-w-0 flex-1 py-1 text-xs wrap-anywhere whitespace-pre-wrap select-all">
        {/* oxlint-disable-next-line react/no-array-index-key -- the words of one command, which have no order but this. */}
        {command.split(/( +)/u).map((word, place) => (place % 2 === 0 ? <span key={`${place} ${word}`} className="inline-block max-w-full">{word}</span> : word))}
      </code>
      <CopyButton value={command} />
    </div>
  );
}
