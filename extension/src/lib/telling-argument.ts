/**
 * The one argument that says what a call is about: its path, its pattern, its command.
 *
 * The names are looked for in this order in whatever the tool takes; there is no table of tools here.
 */
const telling = ["path", "pattern", "command", "paths", "message", "rev", "from", "query", "url", "job"];

export function tellingArgument(args: Readonly<Record<string, unknown>> | null): string {
  if (!args) return "";
  const name = telling.find((candidate) => Object.hasOwn(args, candidate));
  const value = name === undefined ? Object.values(args).find((candidate) => typeof candidate === "string") : args[name];
  const words = [value, name === "command" ? args["args"] : undefined].flat().filter((word) => typeof word === "string");
  // Of a commit message the first line says what it is about.
  return name === "message" ? (words.join(" ").split("\n", 1)[0] ?? "") : words.join(" ");
}
