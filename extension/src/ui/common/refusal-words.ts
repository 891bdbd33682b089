/** Why the engine would not, in the reader's language, as one line: what happened, what was said exactly where it says more, what helps. */
import { IntentRefused } from "../../app/panel-client.ts";
import type { Fault } from "../../wire/events.ts";
import type { Catalogue } from "../text/catalogue.ts";
import { faultWords } from "./fault-words.ts";

export interface RefusalWords {
  readonly message: string;
  readonly detail?: string;
}

export function refusalWords(error: unknown, text: Catalogue): RefusalWords {
  if (!(error instanceof IntentRefused)) return { message: error instanceof Error ? error.message : text.common.refused };
  return faultRefusal(error.fault, text);
}

export function faultRefusal(fault: Fault, text: Catalogue): RefusalWords {
  const { title, hint, detail } = faultWords(fault, text, text.faults.theModel);
  const more = [detail, hint].filter((part) => part !== null).join(" ");
  return more === "" ? { message: title } : { message: title, detail: more };
}

export function refusalLine(error: unknown, text: Catalogue): string {
  const { message, detail } = refusalWords(error, text);
  return detail === undefined ? message : `${message} ${detail}`;
}
