// What some bytes really are, by how they begin: a name can say anything.

const PICTURES: readonly { readonly type: string; readonly begins: readonly number[] }[] = [
  { type: "image/png", begins: [0x89, 0x50, 0x4e, 0x47] },
  { type: "image/jpeg", begins: [0xff, 0xd8, 0xff] },
  { type: "image/gif", begins: [0x47, 0x49, 0x46, 0x38] },
  { type: "application/pdf", begins: [0x25, 0x50, 0x44, 0x46, 0x2d] },
];

/** `text/plain` is anything that is whole UTF-8 without NUL; null is other bytes. */
export function sniffType(bytes: Uint8Array): string | null {
  const known = PICTURES.find(({ begins }) => begins.every((byte, place) => bytes[place] === byte));
  if (known !== undefined) return known.type;
  const ascii = (from: number, to: number) => String.fromCharCode(...bytes.subarray(from, to));
  if (ascii(0, 4) === "RIFF" && ascii(8, 12) === "WEBP") return "image/webp";
  return asText(bytes) === null ? null : "text/plain";
}

/** Null: these bytes are no text. */
export function asText(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** Null: it is no base64. */
export function fromBase64(base64: string): Uint8Array | null {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}
