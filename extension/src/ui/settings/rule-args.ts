// The arguments of a rule as they are shown and typed: `*` is any one, `**` any rest, everything else is quoted where it has to be.

import { quoteArgument } from "../../lib/quote-argument.ts";

export const ANY_ARGS = "**";

export function argsText(args: readonly string[] | undefined): string {
  return args === undefined ? ANY_ARGS : args.map((part) => (/^\*{1,2}$/.test(part) ? part : quoteArgument(part))).join(" ");
}
