// How a model server is asked: no redirect is followed, and an answer that is no stream is told in the server's own words.
//
// A redirect would take the key along: browsers drop `Authorization` on the way to another server, but not a provider's own header.
import { faultOfStatus } from "./explain-fault.ts";
import { ModelFault } from "./model.ts";

/** Enough for a server's sentence; the rest of a web page is not read. */
const BODY_BYTES = 65_536;

/** `secret`: the key that goes along. */
export function modelFetch(label: string, secret: string | null, ask: typeof fetch = (...request) => globalThis.fetch(...request)): typeof fetch {
  return async (input, init) => {
    const response = await ask(input, { ...init, ...(typeof init?.body === "string" ? { body: wellFormed(init.body) } : {}), redirect: "manual" });
    if (response.type === "opaqueredirect" || (response.status >= 300 && response.status < 400)) {
      await response.body?.cancel().catch(() => {});
      throw new ModelFault({
        code: "redirected",
        message: `${label} sends requests on to another address, which is not followed: the key would go along.`,
        hint: "Put the final address into the model's settings, often with https or with /v1 at its end.",
        retryable: false,
      });
    }
    return response.ok && response.body !== null ? mustStream(response, response.body, label, secret) : response;
  };
}

/**
 * Half of a character, as a cut leaves it behind, can be written in JSON but not in UTF-8: a strict server would refuse the request,
 * and the same one at each Retry. Only halves are written as `\ud83d`; a backslash before that belongs to another escape.
 */
export function wellFormed(json: string): string {
  if (!/\\ud[89a-f]/i.test(json)) return json;
  return json.replaceAll(/\\(?:u(d[89a-f][0-9a-f]{2})|[^])/gi, (escape, half: string | undefined) => (half === undefined ? escape : "\ufffd"));
}

/** The same response, once its first letter shows that it is no document. */
async function mustStream(response: Response, body: ReadableStream<Uint8Array>, label: string, secret: string | null): Promise<Response> {
  const reader = body.getReader();
  const pieces: Uint8Array[] = [];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    pieces.push(value);
    const first = firstLetter(pieces);
    if (first === null) continue;
    if ("{[<".includes(first)) throw noStream(await readSome(pieces, reader), label, secret);
    break;
  }
  return new Response(streamOf(pieces, reader), { status: response.status, statusText: response.statusText, headers: response.headers });
}

/** Behind spaces and the mark of the byte order; null: nothing has come yet. */
function firstLetter(pieces: readonly Uint8Array[]): string | null {
  for (const piece of pieces) {
    const found = piece.find((byte) => byte > 0x20 && byte !== 0xef && byte !== 0xbb && byte !== 0xbf);
    if (found !== undefined) return String.fromCharCode(found);
  }
  return null;
}

async function readSome(pieces: Uint8Array[], reader: ReadableStreamDefaultReader<Uint8Array>): Promise<string> {
  let bytes = pieces.reduce((sum, piece) => sum + piece.length, 0);
  while (bytes < BODY_BYTES) {
    const { done, value } = await reader.read();
    if (done) break;
    pieces.push(value);
    bytes += value.length;
  }
  reader.cancel().catch(() => {});
  const decoder = new TextDecoder();
  return pieces.map((piece) => decoder.decode(piece, { stream: true })).join("");
}

function streamOf(pieces: readonly Uint8Array[], reader: ReadableStreamDefaultReader<Uint8Array>): ReadableStream<Uint8Array<ArrayBuffer>> {
  const first = [...pieces];
  const lines = new LineEnds();
  return new ReadableStream({
    async pull(controller) {
      const piece = first.shift();
      if (piece !== undefined) return controller.enqueue(lines.unify(piece));
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(lines.unify(value));
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

const CR = 0x0d;
const LF = 0x0a;

/** A stream's lines may end in CR, LF or both. A reader that waits for the other half of a CR would miss the last event. */
class LineEnds {
  #wasCr = false;

  unify(piece: Uint8Array): Uint8Array<ArrayBuffer> {
    if (!this.#wasCr && !piece.includes(CR)) return piece as Uint8Array<ArrayBuffer>;
    const unified = new Uint8Array(piece.length);
    let length = 0;
    for (const byte of piece) {
      if (byte !== LF || !this.#wasCr) unified[length++] = byte === CR ? LF : byte;
      this.#wasCr = byte === CR;
    }
    return unified.subarray(0, length);
  }
}

/** Some gateways tell their errors with status 200; sign-in pages come with it, too. */
function noStream(text: string, label: string, secret: string | null): ModelFault {
  const body = parsed(text);
  const said = body === null ? null : saidIn(body);
  if (said !== null) return new ModelFault(faultOfStatus(said.status ?? 500, said.message, label, secret));
  const what = body === null ? "a web page" : "a whole document";
  return new ModelFault({
    code: "no_stream",
    message: `${label} answered with ${what} instead of a stream.`,
    hint: body === null ? "Check the base URL (most end in /v1); a sign-in page or a proxy may stand before the server." : "The server may not be able to stream. Choose another one.",
    retryable: false,
  });
}

function saidIn(body: object): { readonly message: string; readonly status: number | null } | null {
  const error: unknown = "error" in body ? body.error : Array.isArray(body) ? (body as readonly { error?: unknown }[])[0]?.error : body;
  if (typeof error === "string") return { message: error, status: null };
  if (typeof error !== "object" || error === null || !("message" in error) || typeof error.message !== "string") return null;
  const status = [error, body].flatMap((each) => ["code", "status"].map((name) => (each as Record<string, unknown>)[name])).find((code) => typeof code === "number" && code >= 400 && code < 600);
  return { message: error.message, status: typeof status === "number" ? status : null };
}

function parsed(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" ? value : null;
  } catch {
    return null;
  }
}
