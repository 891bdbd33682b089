// Chunks: what goes in comes out, whatever its size and letters; what is torn is dropped and the rest goes on.
import { describe, expect, test } from "vitest";
import { framesOf, Joiner, MessageTooLong, type ChunkFrame } from "./chunks.ts";
import { CHUNK_BYTES, FRAME_BYTES, MESSAGE_BYTES } from "./limits.ts";

const bytesOf = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).length;

class Collector {
  readonly messages: unknown[] = [];
  readonly broken: string[] = [];
  readonly joiner = new Joiner({ message: (message) => this.messages.push(message), broken: (reason) => this.broken.push(reason) });

  async settled(count: number): Promise<this> {
    const end = Date.now() + 60_000;
    while (this.messages.length + this.broken.length < count && Date.now() < end) {
      await new Promise((resolve) => {
        setTimeout(resolve, 1);
      });
    }
    return this;
  }
}

/** Small, seeded, the same on every machine. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

const LETTERS = ["a", "é", "漢", "🛶", '"', "\\", "\n", "\u0000", "\u202e", "\ud800"];

function randomText(length: number, random: () => number): string {
  let text = "";
  while (text.length < length) text += (LETTERS[Math.floor(random() * LETTERS.length)] ?? "a").repeat(1 + Math.floor(random() * 2_000));
  return text;
}

describe("a round trip", () => {
  test.each([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])("of random text, seed %i", async (seed) => {
    const random = randomOf(seed);
    const message = { jsonrpc: "2.0", id: seed, result: { text: randomText(Math.floor(random() * 1_500_000), random) } };
    const frames = await framesOf(message, "g");
    const collector = new Collector();
    for (const frame of frames) {
      expect(bytesOf(frame)).toBeLessThanOrEqual(FRAME_BYTES);
      collector.joiner.receive(JSON.parse(JSON.stringify(frame)));
    }
    await collector.settled(1);
    expect(collector.broken).toEqual([]);
    expect(JSON.stringify(collector.messages[0])).toBe(JSON.stringify(message));
  });

  test("exactly at the limit is one frame, one byte more is two", async () => {
    const around = bytesOf({ text: "" });
    expect(await framesOf({ text: "x".repeat(CHUNK_BYTES - around) }, "g")).toHaveLength(1);
    expect(await framesOf({ text: "x".repeat(CHUNK_BYTES - around + 1) }, "g")).toHaveLength(2);
  });

  test("text that escaping inflates gets shorter slices", async () => {
    const frames = (await framesOf({ text: "\u0001".repeat(100_000) }, "g")) as ChunkFrame[];
    expect(frames.length).toBeGreaterThan(2);
    for (const frame of frames) expect(bytesOf(frame)).toBeLessThanOrEqual(FRAME_BYTES);
    const collector = new Collector();
    for (const frame of frames) collector.joiner.receive(frame);
    await collector.settled(1);
    expect(collector.messages).toEqual([{ text: "\u0001".repeat(100_000) }]);
  });

  test("only the last chunk has the checksum", async () => {
    const frames = (await framesOf({ text: "x".repeat(CHUNK_BYTES * 3) }, "g")) as ChunkFrame[];
    expect(frames.map((frame) => frame.chunk.sha256 !== undefined)).toEqual([false, false, false, true]);
  });

  test("what may not be sent is refused before anything is", async () => {
    await expect(framesOf({ text: "x".repeat(MESSAGE_BYTES) }, "g")).rejects.toThrow(MessageTooLong);
  });
});

describe("joining", () => {
  const long = (mark: string) => framesOf({ mark, text: "ü".repeat(CHUNK_BYTES) }, mark) as Promise<ChunkFrame[]>;

  test("groups and plain messages may be mixed; order is that of completion", async () => {
    const [one, two] = [await long("one"), await long("two")];
    const collector = new Collector();
    for (let place = 0; place < one.length; place += 1) {
      collector.joiner.receive(two[place]);
      collector.joiner.receive({ plain: place });
      collector.joiner.receive(one[place]);
    }
    collector.joiner.receive({ plain: "last" });
    await collector.settled(one.length + 3);
    const marks = collector.messages.map((message) => (message as { mark?: string; plain?: unknown }).mark ?? (message as { plain?: unknown }).plain);
    expect(marks).toEqual([0, 1, "two", 2, "one", "last"]);
  });

  test.each<[string, (frames: ChunkFrame[]) => readonly ChunkFrame[]]>([
    ["a skipped index", (frames) => [frames[0], frames[2]] as ChunkFrame[]],
    ["a repeated index", (frames) => [frames[0], frames[0], frames[1], frames[2]] as ChunkFrame[]],
    ["a beginning in the middle", (frames) => [frames[1], frames[2]] as ChunkFrame[]],
    ["a changed count", (frames) => [frames[0], { chunk: { ...frames[1]?.chunk, count: 9 } }] as ChunkFrame[]],
    ["a wrong checksum", (frames) => [...frames.slice(0, -1), { chunk: { ...frames.at(-1)?.chunk, sha256: "00" } }] as ChunkFrame[]],
    ["a missing checksum", (frames) => [...frames.slice(0, -1), { chunk: { id: "g", index: 2, count: 3, data: "" } }] as ChunkFrame[]],
    ["changed text", (frames) => [...frames.slice(0, -1), { chunk: { ...frames.at(-1)?.chunk, data: "x" } }] as ChunkFrame[]],
    ["no data", () => [{ chunk: { id: "g", index: 0, count: 3 } }] as unknown as ChunkFrame[]],
    ["an index beyond the count", () => [{ chunk: { id: "g", index: 3, count: 3, data: "" } }] as ChunkFrame[]],
  ])("%s drops the group, once, and the next message still comes", async (_name, tear) => {
    const frames = (await long("g")).slice(0, 3);
    expect(frames).toHaveLength(3);
    const collector = new Collector();
    for (const frame of tear(frames)) collector.joiner.receive(frame);
    collector.joiner.receive({ after: true });
    await collector.settled(2);
    expect(collector.broken).toHaveLength(1);
    expect(collector.messages).toEqual([{ after: true }]);
  });

  test("a ninth open group is dropped, the eight go on", async () => {
    const collector = new Collector();
    const groups = await Promise.all(Array.from({ length: 9 }, (_, place) => long(`g${place}`)));
    for (const frames of groups) collector.joiner.receive(frames[0]);
    expect(collector.broken).toHaveLength(1);
    for (const frames of groups) for (const frame of frames.slice(1)) collector.joiner.receive(frame);
    await collector.settled(9);
    expect(collector.messages).toHaveLength(8);
    expect(collector.broken).toHaveLength(1);
  });
});
