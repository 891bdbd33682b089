// Messages longer than a frame may be: cut into chunks on the way out, joined and checked on the way in.
//
// Knows no port. What is handed out is in the order in which messages became complete, as the protocol demands,
// also while a checksum is still being computed.
import { CHUNK_BYTES, FRAME_BYTES, MESSAGE_BYTES, OPEN_GROUPS } from "./limits.ts";

export interface ChunkFrame {
  readonly chunk: { readonly id: string; readonly index: number; readonly count: number; readonly data: string; readonly sha256?: string };
}

/** The frames of one message: itself, or its chunks. */
export async function framesOf(message: unknown, id: string): Promise<readonly unknown[]> {
  const text = JSON.stringify(message);
  // A character takes at most three bytes of UTF-8 per UTF-16 unit: the common small message is never encoded twice.
  if (text.length * 3 <= CHUNK_BYTES) return [message];
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= CHUNK_BYTES) return [message];
  if (bytes.length > MESSAGE_BYTES) throw new MessageTooLong(bytes.length);
  const sha256 = await hexDigest(bytes);
  const slices = sliceBytes(bytes);
  return slices.map((data, index): ChunkFrame => ({
    chunk: { id, index, count: slices.length, data, ...(index === slices.length - 1 ? { sha256 } : {}) },
  }));
}

export class MessageTooLong extends Error {
  override readonly name = "MessageTooLong";
  constructor(readonly bytes: number) {
    super(`a message of ${bytes} bytes is longer than the ${MESSAGE_BYTES} that may be sent`);
  }
}

/** What a frame led to. */
export interface JoinerOutput {
  message(message: unknown): void;
  /** A group was dropped; the other side is told, the port goes on. */
  broken(reason: string): void;
}

interface Group {
  readonly count: number;
  readonly parts: string[];
  bytes: number;
}

export class Joiner {
  readonly #output: JoinerOutput;
  readonly #groups = new Map<string, Group>();
  /** Frames of a dropped group that still arrive are swallowed instead of answered once more each. */
  readonly #dropped = new Set<string>();
  #before: Promise<void> | null = null;

  constructor(output: JoinerOutput) {
    this.#output = output;
  }

  receive(frame: unknown): void {
    const chunk = readChunk(frame);
    if (chunk === null) {
      this.#inOrder(() => this.#output.message(frame));
    } else if (typeof chunk === "string") {
      this.#output.broken(chunk);
    } else {
      this.#join(chunk);
    }
  }

  #join(chunk: ChunkFrame["chunk"]): void {
    const last = chunk.index === chunk.count - 1;
    if (this.#dropped.has(chunk.id)) {
      if (last) this.#dropped.delete(chunk.id);
      return;
    }
    let group = this.#groups.get(chunk.id);
    if (group === undefined) {
      if (chunk.index !== 0) return this.#drop(chunk, `chunk group \`${chunk.id}\` begins at index ${chunk.index}`);
      if (this.#groups.size >= OPEN_GROUPS) return this.#drop(chunk, `more than ${OPEN_GROUPS} chunk groups are open`);
      group = { count: chunk.count, parts: [], bytes: 0 };
      this.#groups.set(chunk.id, group);
    }
    if (chunk.count !== group.count) return this.#drop(chunk, `chunk group \`${chunk.id}\` changed its count`);
    if (chunk.index !== group.parts.length) {
      return this.#drop(chunk, `chunk group \`${chunk.id}\` came to index ${chunk.index} instead of ${group.parts.length}`);
    }
    group.parts.push(chunk.data);
    // Counted in UTF-16 units here, which are never more than the bytes; exact at the end, where the bytes exist.
    group.bytes += chunk.data.length;
    if (group.bytes > MESSAGE_BYTES) return this.#drop(chunk, `chunk group \`${chunk.id}\` is longer than ${MESSAGE_BYTES} bytes`);
    if (!last) return;
    this.#groups.delete(chunk.id);
    this.#finish(chunk.id, group.parts.join(""), chunk.sha256);
  }

  #finish(id: string, text: string, sha256: string | undefined): void {
    if (sha256 === undefined) return this.#output.broken(`chunk group \`${id}\` ended without a checksum`);
    const bytes = new TextEncoder().encode(text);
    if (bytes.length > MESSAGE_BYTES) return this.#output.broken(`chunk group \`${id}\` is longer than ${MESSAGE_BYTES} bytes`);
    const digest = hexDigest(bytes);
    this.#inOrder(async () => {
      if ((await digest) !== sha256) return this.#output.broken(`chunk group \`${id}\` fails its checksum`);
      let message: unknown;
      try {
        message = JSON.parse(text);
      } catch {
        return this.#output.broken(`chunk group \`${id}\` is no JSON`);
      }
      this.#output.message(message);
    });
  }

  #drop(chunk: ChunkFrame["chunk"], reason: string): void {
    this.#groups.delete(chunk.id);
    if (chunk.index !== chunk.count - 1) this.#dropped.add(chunk.id);
    this.#output.broken(reason);
  }

  #inOrder(deliver: () => void | Promise<void>): void {
    if (this.#before === null) {
      const done = deliver();
      if (done instanceof Promise) this.#wait(done);
    } else {
      this.#wait(this.#before.then(deliver));
    }
  }

  #wait(work: Promise<void>): void {
    const settled = work.finally(() => {
      if (this.#before === settled) this.#before = null;
    });
    this.#before = settled;
  }
}

/** Null: no chunk. A text: a chunk that breaks the rules. */
function readChunk(frame: unknown): ChunkFrame["chunk"] | string | null {
  if (typeof frame !== "object" || frame === null || !("chunk" in frame)) return null;
  const chunk = frame.chunk as Partial<ChunkFrame["chunk"]> | null;
  if (
    typeof chunk !== "object" ||
    chunk === null ||
    typeof chunk.id !== "string" ||
    typeof chunk.data !== "string" ||
    !isCount(chunk.index) ||
    !isCount(chunk.count) ||
    chunk.index >= chunk.count
  ) {
    return "a chunk lacks its id, index, count or data";
  }
  return chunk as ChunkFrame["chunk"];
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0;
}

/** Cuts between code points; shorter where escaping would make the frame too long. */
function sliceBytes(bytes: Uint8Array): string[] {
  const decoder = new TextDecoder();
  const slices: string[] = [];
  let start = 0;
  while (start < bytes.length) {
    let length = Math.min(CHUNK_BYTES, bytes.length - start);
    let data: string;
    for (;;) {
      let end = start + length;
      while (end < bytes.length && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
      data = decoder.decode(bytes.subarray(start, end));
      length = end - start;
      if (escapedBytes(data) <= FRAME_BYTES - FRAME_OVERHEAD) break;
      length = Math.floor(length / 2);
    }
    slices.push(data);
    start += length;
  }
  return slices;
}

/** Room for the fields around `data`, the checksum and the id. */
const FRAME_OVERHEAD = 512;

function escapedBytes(data: string): number {
  return new TextEncoder().encode(JSON.stringify(data)).length;
}

async function hexDigest(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
