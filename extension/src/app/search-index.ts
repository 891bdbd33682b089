// Full-text search over all sessions: each turn is known by its words; what was written while nobody indexed is caught up with.
import { foldStored } from "../agent/sound.ts";
import { turnsOfBranch, type SessionLog, type TurnLog } from "../agent/log.ts";
import { plainWords } from "../lib/plain-words.ts";
import { termsOf, wordsOf } from "../lib/words.ts";
import type { SearchDoc, SessionRow, Storage } from "../storage/storage.ts";
import type { SearchHit } from "./views.ts";

/** Of one turn: a log of a build has more, and nobody looks for its end. */
const MOST_WORDS = 4_000;
const MOST_TEXT = 16_000;

/** Before and after what was found. */
const EXCERPT = 80;
const MOST_MATCHES = 3;

export class SearchIndex {
  readonly #storage: Storage;
  #catchingUp: Promise<void> | null = null;
  #known: Promise<Set<string>> | null = null;

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  /** The last turn changed for good. Of a session that was never indexed, all of them are written down. */
  async note(log: SessionLog): Promise<void> {
    this.#known ??= this.#storage.listIndexed().then((indexed) => new Set(indexed.keys()));
    const known = await this.#known;
    const last = log.turns.at(-1);
    const turns = known.has(log.session) ? (last === undefined ? [] : [last]) : allTurns(log);
    await this.#storage.saveDocs(log.session, log.seq, turns.map((turn) => docOf(log.session, turn)));
    known.add(log.session);
  }

  /** Sessions that were written to since they were indexed: before an update, or when the engine died between the two. */
  catchUp(rows: readonly SessionRow[]): Promise<void> {
    this.#catchingUp ??= this.#catchUp(rows).finally(() => {
      this.#catchingUp = null;
    });
    return this.#catchingUp;
  }

  /** Which sessions have every word, in a title, a tag or a turn, and where. */
  async find(text: string, rows: readonly SessionRow[]): Promise<readonly { readonly row: SessionRow; readonly turns: readonly string[] }[]> {
    await this.#catchingUp;
    const terms = termsOf(text);
    const places = await Promise.all(terms.map(async (term) => ({ term, docs: await this.#storage.findDocs(term) })));
    return rows.flatMap((row) => {
      const heads = wordsOf([row.title, ...(row.tags ?? [])].join(" "), MOST_WORDS);
      const found = places.map(({ term, docs }) => ({ head: heads.some((word) => word.startsWith(term)), docs: docs.filter((id) => id.startsWith(`${row.id}/`)) }));
      if (!found.every(({ head, docs }) => head || docs.length > 0)) return [];
      const count = new Map<string, number>();
      for (const id of found.flatMap(({ docs }) => docs)) count.set(id, (count.get(id) ?? 0) + 1);
      const best = [...count].toSorted((left, right) => right[1] - left[1] || right[0].localeCompare(left[0]));
      return [{ row, turns: best.slice(0, MOST_MATCHES).map(([id]) => id) }];
    });
  }

  async excerpts(text: string, ids: readonly string[]): Promise<SearchHit["matches"]> {
    const terms = termsOf(text);
    return (await this.#storage.readDocs(ids)).map((doc) => ({ turn: doc.turn, ...excerptOf(doc.text, terms) }));
  }

  async #catchUp(rows: readonly SessionRow[]): Promise<void> {
    const known = await this.#storage.listIndexed();
    for (const { id, seq, status } of rows) {
      if ((known.get(id) ?? 0) >= seq || status === "running") continue;
      const log = foldStored(id, await this.#storage.readEvents(id, 0));
      await this.#storage.saveDocs(id, log.seq, allTurns(log).map((turn) => docOf(id, turn)));
    }
  }
}

/** Of every branch, each once. */
function allTurns(log: SessionLog): readonly TurnLog[] {
  return [...new Map(log.branches.flatMap((branch) => turnsOfBranch(log, branch.id) ?? []).map((turn) => [turn.id, turn])).values()];
}

function docOf(session: string, turn: TurnLog): SearchDoc {
  const said = [turn.text, ...turn.steers.map(({ text }) => text), ...turn.attachments.map(({ name }) => name), ...turn.steps.map(({ text }) => text)];
  const done = turn.steps.flatMap(({ calls }) => calls).flatMap(({ tool, argsText, result }) => [tool, argsText, result?.text ?? ""]);
  const all = [...said, ...done].filter((text) => text !== "");
  return { id: `${session}/${turn.id}`, session, turn: turn.id, words: wordsOf(all.join("\n"), MOST_WORDS), text: all.join("\n").slice(0, MOST_TEXT) };
}

/** In plain words, unless what was searched for is in what those leave out: the address of a link, or the language of a block of code. */
export function excerptOf(text: string, terms: readonly string[]): { readonly excerpt: string; readonly marks: readonly (readonly [number, number])[] } {
  const plain = plainWords(text);
  const where = firstOf(plain, terms);
  const first = where ?? firstOf(text, terms) ?? 0;
  const from = Math.max(0, first - EXCERPT);
  const excerpt = (where === undefined ? text : plain).slice(from, first + EXCERPT * 2).replaceAll(/\s+/g, " ");
  const within = excerpt.toLowerCase();
  const marks = terms.flatMap((term) => {
    const found: (readonly [number, number])[] = [];
    for (let place = within.indexOf(term); place !== -1 && found.length < 20; place = within.indexOf(term, place + term.length)) found.push([place, place + term.length]);
    return found;
  });
  return { excerpt, marks: marks.toSorted((left, right) => left[0] - right[0]) };
}

function firstOf(text: string, terms: readonly string[]): number | undefined {
  const folded = text.toLowerCase();
  return terms.map((term) => folded.indexOf(term)).filter((place) => place >= 0).toSorted((left, right) => left - right)[0];
}
