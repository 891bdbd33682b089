/**
 * Asks the browser for an address that a request needs. Browsers ask a person only in the press itself: nothing may be awaited before.
 */
import { originName } from "../approvals/use-origins.ts";
import type { Catalogue } from "../text/catalogue.ts";
import type { Chat } from "./chat.ts";

export async function requestOrigin({ client }: Pick<Chat, "client">, address: string): Promise<boolean> {
  try {
    return await client.requestOrigin(address);
  } catch {
    // Not allowed to ask is not allowed.
    return false;
  }
}

/** True where nothing has to be asked. A refusal is said. */
export async function grantOrigin(chat: Pick<Chat, "client" | "show">, address: string | undefined, text: Catalogue): Promise<boolean> {
  if (address === undefined || (await requestOrigin(chat, address))) return true;
  chat.show({ tone: "bad", message: text.chat.addressRefused(originName(address)) });
  return false;
}
