// Addresses that a page of the web has no business at: private networks, this machine, anything but http and https.
//
// Judged by what the address says. A public name that points to a private address is not seen here.

const PRIVATE_NAMES = /(?:^|\.)(?:localhost|local|internal|intranet|lan|home|corp|home\.arpa|onion|test|invalid|example)$/;

/** Null, or why it is refused. */
export function refusedAddress(text: string): string | null {
  if (!URL.canParse(text)) return `\`${text}\` is no address`;
  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:") return `\`${url.protocol}\` addresses are not read`;
  if (url.username !== "" || url.password !== "") return "an address with a user name or password in it is not read";
  const host = url.hostname.replace(/\.$/, "");
  // The URL parser has already turned `0x7f.1`, `2130706433` and the like into four numbers.
  const v4 = /^(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(host);
  if (v4 !== null) return isPrivateV4(v4.slice(1).map(Number)) ? privateWords(host) : null;
  if (host.startsWith("[")) return isPrivateV6(host.slice(1, -1)) ? privateWords(host) : null;
  if (!host.includes(".") || PRIVATE_NAMES.test(host)) return privateWords(host);
  return null;
}

function privateWords(host: string): string {
  return `\`${host}\` is on this machine or in a private network`;
}

function isPrivateV4([a = 0, b = 0, c = 0]: readonly number[]): boolean {
  return (
    a === 0 ||
    a === 10 ||
    a === 127 ||
    (a === 100 && b >= 64 && b < 128) ||
    (a === 169 && b === 254) ||
    (a === 172 && b >= 16 && b < 32) ||
    (a === 192 && b === 168) ||
    (a === 192 && b === 0 && (c === 0 || c === 2)) ||
    (a === 198 && (b === 18 || b === 19)) ||
    (a === 198 && b === 51 && c === 100) ||
    (a === 203 && b === 0 && c === 113) ||
    a >= 224
  );
}

/** Only global unicast is public, and not where it carries an address of version 4. */
function isPrivateV6(address: string): boolean {
  const first = Number.parseInt(address.split(":", 1)[0] || "0", 16);
  const isGlobal = first >= 0x2000 && first <= 0x3fff;
  return !isGlobal || first === 0x2002 || /^2001:(?:0?:|db8:|0*:)/i.test(address) || address.includes(".");
}
