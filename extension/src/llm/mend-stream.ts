// What servers that call themselves compatible send otherwise than the format says, put right before it is read.
//
// Line by line, and only where a line shows one of these: arguments as an object instead of its text, a chunk without choices,
// an empty reason of the end, and an end (`[DONE]`) without any reason. What is broken stays broken: a stream that was cut has no end.
// Lines end in LF here (`model-fetch.ts`).

/** As text they hold `\"`, so that these find keys and never the words of an answer. */
const EMPTY_REASON = /"finish_reason"\s*:\s*""/g;
const REASON = /"finish_reason"\s*:\s*"[^"]/;
const OBJECT_ARGUMENTS = /"arguments"\s*:\s*[{[]/;
const SAYS_SOMETHING = /"(?:content|reasoning|reasoning_content)"\s*:\s*(?:"[^"]|\[)|"tool_calls"\s*:\s*\[/;

export function mendingFetch(ask: typeof fetch): typeof fetch {
  return async (input, init) => {
    const response = await ask(input, init);
    if (!response.ok || response.body === null) return response;
    const body = response.body.pipeThrough(new TextDecoderStream() as unknown as ReadableWritablePair<string, Uint8Array>).pipeThrough(mendStream()).pipeThrough(new TextEncoderStream());
    return new Response(body, { status: response.status, statusText: response.statusText, headers: response.headers });
  };
}

export function mendStream(): TransformStream<string, string> {
  const mender = new Mender();
  let held: string[] = [];
  return new TransformStream({
    transform(piece, controller) {
      const cut = piece.lastIndexOf("\n") + 1;
      if (cut === 0) return void held.push(piece);
      controller.enqueue(mender.mend([...held, piece.slice(0, cut)].join("")));
      held = [piece.slice(cut)];
    },
    flush(controller) {
      controller.enqueue(mender.mend(held.join("")));
    },
  });
}

class Mender {
  #hasReason = false;
  #hasCalls = false;
  #hasError = false;
  #hasSaid = false;

  mend(text: string): string {
    return text.replaceAll(/(^|\n)(data:[^\n]*)/g, (_all, before: string, line: string) => before + this.#line(line));
  }

  #line(line: string): string {
    if (/^data:\s*\[DONE\]\s*$/.test(line)) return this.#end(line);
    const mended = mendChunk(line.replaceAll(EMPTY_REASON, '"finish_reason":null'));
    this.#hasReason ||= REASON.test(mended);
    this.#hasCalls ||= /"tool_calls"\s*:\s*\[\s*\{/.test(mended);
    this.#hasError ||= /"error"\s*:\s*[{"]/.test(mended);
    this.#hasSaid ||= SAYS_SOMETHING.test(mended);
    return mended;
  }

  /** The server says that this was all of it, and forgot to say why. */
  #end(line: string): string {
    if (this.#hasReason || this.#hasError || !this.#hasSaid) return line;
    const reason = this.#hasCalls ? "tool_calls" : "stop";
    return `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: reason }] })}\n\n${line}`;
  }
}

function mendChunk(line: string): string {
  const lacksChoices = !/"choices"\s*:\s*\[/.test(line) && !/"error"\s*:/.test(line);
  if (!lacksChoices && !OBJECT_ARGUMENTS.test(line)) return line;
  try {
    const chunk = JSON.parse(line.slice("data:".length)) as Chunk;
    if (typeof chunk !== "object" || chunk === null || Array.isArray(chunk)) return line;
    if (lacksChoices) chunk.choices = [];
    for (const choice of chunk.choices ?? []) {
      for (const call of choice.delta?.tool_calls ?? []) {
        const written = call.function?.arguments;
        if (call.function !== undefined && typeof written === "object" && written !== null) call.function.arguments = JSON.stringify(written);
      }
    }
    return `data: ${JSON.stringify(chunk)}`;
  } catch {
    // It is no chunk at all; whoever reads it says so.
    return line;
  }
}

interface Chunk {
  choices?: { delta?: { tool_calls?: { function?: { arguments?: unknown } }[] } }[];
}
