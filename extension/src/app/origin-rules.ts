// Model servers on this machine refuse origins they do not know, and a browser always sends ours. It is taken off.
import { browser } from "wxt/browser";

/** One rule for all servers; numbers of session rules are ours to choose. */
const RULE_ID = 1;

/** Replaces the rule. Only requests of this extension are touched, and only to servers the person allowed. */
export async function removeOriginFor(baseUrls: readonly string[]): Promise<void> {
  const hosts = [...new Set(baseUrls.flatMap((baseUrl) => (URL.canParse(baseUrl) ? [new URL(baseUrl).hostname] : [])))];
  await browser.declarativeNetRequest.updateSessionRules({
    removeRuleIds: [RULE_ID],
    addRules:
      hosts.length === 0
        ? []
        : [
            {
              id: RULE_ID,
              action: { type: "modifyHeaders", requestHeaders: [{ header: "origin", operation: "remove" }] },
              condition: {
                initiatorDomains: [new URL(browser.runtime.getURL("/")).hostname],
                requestDomains: hosts,
                resourceTypes: ["xmlhttprequest", "other"],
              },
            },
          ],
  });
}
