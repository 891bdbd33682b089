/** The address of a link if it may be one: http, https or mail; anything else (javascript:, data:, file:, relative) is no link. */
export function safeAddress(address: string): URL | null {
  const url = URL.canParse(address) ? new URL(address) : null;
  return url && ["http:", "https:", "mailto:"].includes(url.protocol) ? url : null;
}
