/**
 * The blocks of an answer while it grows: what stands before its last block is parsed once.
 *
 * A cache and nothing else: whatever was asked before, the blocks of a source are the blocks of that source. Markdown closes a block
 * where the next one begins, so only the last one can still change; a definition that a link far above refers to is found when the
 * answer is whole and drawn anew.
 */
import { type Block, parseBlocks } from "../../lib/parse-markdown.ts";

export class GrowingBlocks {
  #source = "";
  #blocks: readonly Block[] = [];

  parse(source: string): readonly Block[] {
    if (source === this.#source) return this.#blocks;
    const grows = this.#source !== "" && source.startsWith(this.#source);
    // One block back as well: two that stand without a blank line between them may become one.
    // From the beginning of its line: how far it is indented is part of what it is.
    const from = grows ? source.lastIndexOf("\n", (this.#blocks.at(-2)?.at ?? 0) - 1) + 1 : 0;
    const kept = this.#blocks.filter((block) => block.at < from);
    const fresh = parseBlocks(source.slice(from)).map((block) => ({ ...block, at: block.at + from }));
    this.#source = source;
    this.#blocks = [...kept, ...fresh];
    return this.#blocks;
  }
}
