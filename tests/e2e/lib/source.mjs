// A module of the extension's own source, for a test that holds the browser against what the extension says of it.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { EXTENSION, requireFromExtension } from "./places.mjs";

/** Bundled as the build does it: Node alone does not take all of TypeScript. */
export async function importSource(file) {
  const { rolldown } = requireFromExtension("rolldown");
  const folder = mkdtempSync(path.join(tmpdir(), "outrigger-source-"));
  try {
    const bundle = await rolldown({ input: path.join(EXTENSION, file), cwd: EXTENSION, platform: "node", logLevel: "silent" });
    const target = path.join(folder, "module.mjs");
    await bundle.write({ file: target, format: "esm" });
    return await import(pathToFileURL(target).href);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
