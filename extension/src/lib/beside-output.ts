/** What a result says beside the output that is shown already: a command's answer repeats what it printed. */
import { parseAnsi } from "./parse-ansi.ts";

export function besideOutput(result: string, output: string): string {
  const printed = parseAnsi(output).map(({ text }) => text).join("").trim();
  const at = printed === "" ? -1 : result.indexOf(printed);
  if (at < 0) return result;
  return [result.slice(0, at), result.slice(at + printed.length)].map((part) => part.trim()).filter((part) => part !== "").join("\n\n");
}
