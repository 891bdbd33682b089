// From what a provider or the network threw to words: what is wrong and what to do. Never carries a key or a prompt.
import { APICallError, InvalidResponseDataError } from "@ai-sdk/provider";
import type { Fault } from "../wire/events.ts";
import { blotted } from "./blotted.ts";
import { ModelFault } from "./model.ts";
import { retryAfterMs } from "./retry-after.ts";

/** Why 300: enough for every provider's sentence, not for an HTML page. */
const SAID_LENGTH = 300;

const RETRYABLE = new Set([408, 409, 425, 429]);

/** `secret`: the key that was sent. */
export function explainFault(error: unknown, label: string, now: number, secret: string | null = null): ModelFault {
  if (error instanceof ModelFault) return error;
  if (APICallError.isInstance(error) && error.statusCode !== undefined && error.statusCode >= 400) {
    return new ModelFault(faultOfStatus(error.statusCode, saidBy(error), label, secret), retryAfterMs(error.responseHeaders, now));
  }
  if (InvalidResponseDataError.isInstance(error)) {
    return new ModelFault({
      code: "stream_cut",
      message: `The answer of ${label} ended before it was whole.`,
      hint: "What arrived is kept as a draft.",
      retryable: true,
    });
  }
  if (isNetworkFault(error)) {
    return new ModelFault({
      code: "network",
      message: `${label} could not be reached.`,
      hint: "Is the server running, and its address right? For a server on this machine, start it and press Retry.",
      retryable: true,
    });
  }
  return new ModelFault({
    code: "provider_error",
    message: `${label} answered with an error: ${plain(textOf(error), secret)}`,
    hint: "Press Retry; if it stays, look at the model's settings.",
    retryable: true,
  });
}

/** `said`: the server's own words; empty where it said nothing. */
export function faultOfStatus(status: number, said: string, label: string, secret: string | null): Fault {
  const words = plain(said, secret);
  const detail = words === "" ? "" : ` It says: ${words}`;
  const fault = (code: string, message: string, hint: string): Fault => ({
    code,
    message: `${message}${detail}`,
    hint,
    retryable: RETRYABLE.has(status) || status >= 500,
  });
  switch (status) {
    case 400:
    case 422:
      return fault("bad_request", `${label} did not accept the request.`, "The model may not support tools, or the conversation may be too long for it. Try another model.");
    case 401:
      return fault("key_refused", `${label} did not accept the key.`, "Put a valid key into the model's settings.");
    case 402:
      return fault("no_credit", `The account at ${label} has no credit left.`, "Add credit there, or choose another model.");
    case 403:
      return fault("not_allowed", `${label} does not allow this request.`, "The key may lack access to this model, or a local server may refuse the browser's origin.");
    case 404:
      return fault("model_not_found", `${label} does not know this address or model.`, "Check the base URL (most end in /v1) and the model's name.");
    case 413:
      return fault("too_long", `The conversation is too long for ${label}.`, "Start a new session, or choose a model with a larger window.");
    case 429:
      return fault("rate_limited", `${label} asks to slow down.`, "It is tried again by itself.");
    case 529:
    case 503:
      return fault("overloaded", `${label} is overloaded.`, "It is tried again by itself.");
    default:
      return status >= 500
        ? fault("server_error", `${label} failed with status ${status}.`, "It is tried again by itself.")
        : fault("refused", `${label} refused the request with status ${status}.`, "Look at the model's settings.");
  }
}

function saidBy(error: APICallError): string {
  return error.message === error.responseBody || error.message.startsWith("<") ? "" : error.message;
}

/** In one line, without the key, and no longer than a sentence. */
function plain(text: string, secret: string | null): string {
  return blotted(text, secret).replaceAll(/\s+/g, " ").slice(0, SAID_LENGTH);
}

function isNetworkFault(error: unknown): boolean {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof TypeError || /fetch failed|failed to fetch|networkerror|cannot connect|terminated|load failed/i.test(cause.message)) return true;
  }
  return false;
}

function textOf(error: unknown): string {
  if (error instanceof Error) return error.message;
  return typeof error === "object" && error !== null && "message" in error && typeof error.message === "string" ? error.message : String(error);
}
