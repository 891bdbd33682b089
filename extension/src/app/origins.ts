// The origin of a model server, as a match pattern of the browser's permissions.

/** `https://host/*`; null where the address is no http(s) URL. Patterns without a port cover every port. */
export function originPattern(baseUrl: string): string | null {
  let url: URL;
  try {
    url = new URL(baseUrl);
  } catch {
    return null;
  }
  if (url.protocol !== "https:" && url.protocol !== "http:") return null;
  return `${url.protocol}//${url.hostname}/*`;
}
