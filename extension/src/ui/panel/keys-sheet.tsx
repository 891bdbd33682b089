/** Every key of the panel, in groups. */
import { isMac } from "../common/is-mac.ts";
import { Sheet } from "../common/sheet.tsx";
import { useText } from "../text/use-text.ts";

export function KeysSheet({ onClose }: { onClose: () => void }) {
  const text = useText();
  const words = text.keys;
  const withAlt = (key: string) => (isMac() ? `⌃ ⌥ ${key}` : `Alt ${key}`);
  const groups: [title: string, keys: [keys: string, what: string][]][] = [
    [words.anywhere, [["?", words.help], ["F6", words.nextRegion], ["⇧ F6", words.previousRegion], [withAlt("N"), words.newSession], [withAlt("H"), words.history], [withAlt(","), words.settings], ["Esc", words.back]]],
    [words.writing, [["↵", words.send], ["⇧ ↵", words.newLine], [`${isMac() ? "⌘" : words.ctrl} ↵`, words.steer], ["Esc", words.stop]]],
    [words.card, [["A", words.allow], ["D", words.deny], ["N", words.note], ["E", words.edit], ["↑ ↓", words.parts]]],
  ];
  return (
    <Sheet title={words.title} testId="keys-sheet" onClose={onClose}>
      {groups.map(([title, keys]) => (
        <section key={title} className="mt-2 first:mt-0">
          <h3 className="mb-1 text-2xs font-medium text-soft">{title}</h3>
          <dl className="grid grid-cols-[4.5rem_minmax(0,1fr)] items-baseline gap-x-3 gap-y-1">
            {keys.map(([key, what]) => (
              <div key={`${key} ${what}`} className="contents">
                <dt className="flex gap-1">{key.split(" ").map((part) => <kbd key={part} className="min-w-5 rounded-sm border border-line bg-sunken px-1 text-center text-2xs">{part}</kbd>)}</dt>
                <dd>{what}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </Sheet>
  );
}
