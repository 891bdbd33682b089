/** What git writes between lines, in the reader's language. */
import { noteWords } from "../common/host-words.ts";
import { VisibleText } from "../common/visible-text.tsx";
import { useText } from "../text/use-text.ts";

export function NoteText({ value }: { value: string }) {
  const text = useText();
  return <VisibleText value={noteWords(value, text)} />;
}
