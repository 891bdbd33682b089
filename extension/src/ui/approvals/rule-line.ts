/** What a rule speaks of, as one line of words: for where nothing can be drawn as code. What hides stands as its code. */
import { quoteArgument } from "../../lib/quote-argument.ts";
import { splitInvisible } from "../../lib/split-invisible.ts";
import type { RuleTarget } from "../../wire/rule.ts";
import type { Catalogue } from "../text/catalogue.ts";

export function ruleLine({ tool, command, args, path, pattern, workspace, origin }: RuleTarget, text: Catalogue): string {
  const parts = [
    tool === "*" ? text.cards.everything : tool,
    ...(command === undefined ? [] : [command, ...(args?.map(quoteArgument) ?? [text.cards.anyArguments])]),
    ...(path === undefined ? [] : [path]),
    ...(pattern === undefined ? [] : [`/${pattern}/`]),
    ...(workspace === undefined ? [] : [text.cards.inWorkspace(workspace)]),
    ...(origin === undefined ? [] : [text.settings.rules.origins[origin]]),
  ];
  return splitInvisible(parts.join(" "), "one").map((piece) => piece.text).join("");
}
