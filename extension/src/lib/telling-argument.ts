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
  if (name === undefined && typeof args["patch"] === "string") return pathsOfPatch(args["patch"]);
  // Of a commit message the first line says what it is about.
  return name === "message" ? (words.join(" ").split("\n", 1)[0] ?? "") : words.join(" ");
}

/** The head of a patch is the same in all of them; what it is about are its files. */
function pathsOfPatch(patch: string): string {
  const paths = [...patch.matchAll(/^(?:\*\*\* (?:Add|Update|Delete) File: |\+\+\+ (?:b\/)?)(\S.*?)\s*$/gmu)].map(([, path]) => path ?? "");
  return paths.length === 0 ? patch : paths.join(" ");
}
