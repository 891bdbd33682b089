// Where things are in the checkout, and the ids both halves share. The one place that resolves packages of `extension/`.
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../../..");
export const EXTENSION = path.join(ROOT, "extension");
export const SAMPLE = path.join(ROOT, "installers/sample-workspace");
export const IDS = JSON.parse(readFileSync(path.join(ROOT, "manifests/ids.json"), "utf8"));
export const EXTENSION_ID = IDS.chromium.extension_id;

/** Loads a package from `extension/node_modules`: the tests have no packages of their own. */
export const requireFromExtension = createRequire(path.join(EXTENSION, "package.json"));

/** The host's binary: `OUTRIGGER_BIN`, else the release build, else the development build. */
export function hostBinary() {
  const named = process.env.OUTRIGGER_BIN;
  const candidates = named ? [path.resolve(named)] : ["target/release/outrigger", "target/debug/outrigger"].map((file) => path.join(ROOT, file));
  const found = candidates.find((file) => existsSync(file));
  if (found === undefined) throw new Error(`the host is not built: looked for ${candidates.join(" and ")}; run \`cargo build\``);
  return found;
}

/**
 * A build of the extension. `chrome-mv3` is what people get; `e2e-chrome-mv3` differs in two things: it may talk to
 * 127.0.0.1 without the browser's own permission prompt, which no driver can click, and opens no page after its install.
 */
export function extensionBuild(name) {
  const folder = path.join(EXTENSION, ".output", name);
  if (!existsSync(path.join(folder, "manifest.json"))) throw new Error(`the extension is not built: ${folder} is missing; see \`tests/run\``);
  return folder;
}

/** The first of these programs that exists. */
export function findProgram(names) {
  const folders = (process.env.PATH ?? "").split(path.delimiter);
  for (const name of names) {
    if (path.isAbsolute(name)) {
      if (existsSync(name)) return name;
      continue;
    }
    const folder = folders.find((candidate) => candidate !== "" && existsSync(path.join(candidate, name)));
    if (folder !== undefined) return path.join(folder, name);
  }
  return null;
}
