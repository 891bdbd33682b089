/** A file of the person's as the engine takes it. Null: it is larger than anything that can be attached, and is not even read. */
import type { AttachmentDraft } from "../../app/views.ts";

/** Above every limit of the engine, which judges exactly; this only keeps a film from being read into memory. */
const LARGEST = 64 * 1024 * 1024;

export async function readFile(file: File): Promise<AttachmentDraft | null> {
  if (file.size > LARGEST) return null;
  const url = await new Promise<string>((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => resolve(String(reader.result)));
    reader.addEventListener("error", () => reject(reader.error ?? new Error(file.name)));
    reader.readAsDataURL(file);
  });
  return { kind: file.type.startsWith("image/") ? "image" : "file", name: file.name, mediaType: file.type, source: null, base64: url.slice(url.indexOf(",") + 1) };
}
