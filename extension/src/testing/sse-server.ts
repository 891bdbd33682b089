// A small OpenAI-compatible server on this machine: for unit tests only.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface SeenRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: { readonly messages: readonly Record<string, unknown>[]; readonly tools?: readonly unknown[]; readonly model: string };
}

export type SseAnswer = (response: ServerResponse, request: SeenRequest) => void | Promise<void>;

/** Answers requests one after the other; the last answer is repeated. */
export async function serve(...answers: readonly SseAnswer[]) {
  const seen: SeenRequest[] = [];
  const server = createServer((incoming, response) => {
    let text = "";
    incoming.on("data", (piece: Buffer) => (text += piece.toString()));
    incoming.on("end", () => {
      const request: SeenRequest = { path: incoming.url ?? "", headers: incoming.headers, body: (text === "" ? {} : JSON.parse(text)) as SeenRequest["body"] };
      seen.push(request);
      void answers[Math.min(seen.length, answers.length) - 1]?.(response, request);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve());
  });
  return {
    seen,
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

export function stream(response: ServerResponse, deltas: readonly Record<string, unknown>[], finish: string | null = "stop"): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const delta of deltas) response.write(chunk({ choices: [{ index: 0, delta, finish_reason: null }] }));
  if (finish === null) {
    response.destroy();
    return;
  }
  response.write(chunk({ choices: [{ index: 0, delta: {}, finish_reason: finish }] }));
  response.write(chunk({ choices: [], usage: { prompt_tokens: 12, completion_tokens: 3, total_tokens: 15 } }));
  response.end("data: [DONE]\n\n");
}

export function fail(status: number, headers: Record<string, string> = {}, message = "no"): SseAnswer {
  return (response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify({ error: { message } }));
  };
}

function chunk(value: Record<string, unknown>): string {
  return `data: ${JSON.stringify({ id: "c1", object: "chat.completion.chunk", created: 1, model: "m", ...value })}\n\n`;
}
