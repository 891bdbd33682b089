/** Hands a file to the person: the browser asks where, or puts it with the other downloads. */
import type { ExportedFile } from "../../app/views.ts";

/** Long enough for the browser to have taken it over. */
const KEPT_MS = 60_000;

export function saveFile({ name, mediaType, text }: ExportedFile): void {
  const address = URL.createObjectURL(new Blob([text], { type: mediaType }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), KEPT_MS);
}
