// What a call must not come across in whatever it looks through: a search over a whole folder names none of the files it quotes.
//
// The host keeps it out, by the path a file really has. Pure.
import { isGlob } from "../lib/glob.ts";
import type { Rule } from "../wire/rule.ts";
import { matches } from "./match.ts";
import type { Subject } from "./subject.ts";

export interface HiddenPath {
  readonly path: string;
  /** The only workspace in which it holds. The host knows in which one a path of the call lies. */
  readonly workspace?: string;
}

/** Whether a tool only reads; the host says so. */
export type Readers = (tool: string) => boolean;

/** What is denied or asked about when one tool reads a path, is so for every tool that reads. */
export function forReader(rules: readonly Rule[], tool: string, reads: Readers): readonly Rule[] {
  if (!reads(tool)) return rules;
  return rules.map((rule) => (rule.effect !== "allow" && rule.target.path !== undefined && rule.target.tool !== tool && reads(rule.target.tool) ? { ...rule, target: { ...rule.target, tool } } : rule));
}

/** `answeredAt`: when a person allowed this very call; what asked about it then hides nothing from it. */
export function hiddenFrom(subject: Subject, rules: readonly Rule[], reads: Readers, answeredAt: number | null): readonly HiddenPath[] {
  const hidden = forReader(rules, subject.tool, reads).flatMap(({ effect, target, createdAt }): HiddenPath[] => {
    const { path, workspace, ...rest } = target;
    if (effect === "allow" || path === undefined || !matches(rest, effect, subject)) return [];
    if (effect === "ask" && !reads(subject.tool)) return [];
    if (effect === "ask" && answeredAt !== null && createdAt <= answeredAt && matches(target, effect, subject)) return [];
    return [{ path: isGlob(path) ? path : "**", ...(workspace === undefined ? {} : { workspace }) }];
  });
  return hidden.filter((each, place) => hidden.findIndex((other) => other.path === each.path && other.workspace === each.workspace) === place);
}
