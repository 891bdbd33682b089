/** A moment as a person reads it: the day and the time, in their language. */
import { useText } from "../text/use-text.ts";

export function DayTime({ at }: { at: number }) {
  const text = useText();
  const date = new Date(at);
  return <time dateTime={date.toISOString()}>{date.toLocaleString(text.language.tag, { dateStyle: "medium", timeStyle: "short" })}</time>;
}
