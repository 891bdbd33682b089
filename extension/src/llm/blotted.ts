// What a server says, without the key that was sent to it: it may repeat that in an error, and errors are logged.

/** Shorter is no key, and would blot out ordinary words. */
const SECRET_LENGTH = 6;

/** Before anything is cut off: half a key is half a secret. */
export function blotted(text: string, secret: string | null): string {
  return secret === null || secret.length < SECRET_LENGTH ? text : text.replaceAll(secret, "[key]");
}
