// Path globs: `*` and `?` stay within a folder, `**` crosses folders, `{a,b}` is a choice; every other character is itself.

/** A glob that cannot be read matches nothing. */
export function globMatches(glob: string, path: string, options: { readonly foldCase: boolean } = { foldCase: false }): boolean {
  const source = globSource(glob.normalize("NFC"));
  return source !== null && new RegExp(`^${source}$`, options.foldCase ? "iu" : "u").test(path.normalize("NFC"));
}

/**
 * What a deny speaks of: however it is written in capitals, and with what lies in it. A glob that cannot be read speaks of everything.
 * The host has the same matcher for what it looks through; `globs.json` holds both to the same cases.
 */
export function globCovers(glob: string, path: string): boolean {
  if (leavesRoot(glob)) return true;
  return [glob, plain(glob)].some((written) => {
    const source = globSource(written.normalize("NFC"));
    return source === null || new RegExp(`^(?:${source})(?:/[^]*)?$`, "iu").test(path.normalize("NFC"));
  });
}

/** Without what no path in a workspace has, as the host reads it: a `/` or `./` in front, a `/` at the end, two in a row. */
function plain(glob: string): string {
  return glob
    .replaceAll(/\/(?:\.?\/)+/g, "/")
    .replace(/^(?:\.?\/)+/, "")
    .replace(/\/\.$/, "")
    .replace(/\/+$/, "");
}

export function isGlob(glob: string): boolean {
  return globSource(glob) !== null && globSource(plain(glob)) !== null && !leavesRoot(glob);
}

/** No path in a workspace has a `..`: the host refuses a glob with one, as it could match nothing. */
function leavesRoot(glob: string): boolean {
  return plain(glob).split("/").includes("..");
}

/** A glob that matches this path and nothing else. */
export function exactGlob(path: string): string {
  return path.replaceAll(/[*?{}\\]/g, (letter) => `\\${letter}`);
}

function globSource(glob: string): string | null {
  if (glob === "") return null;
  let source = "";
  let depth = 0;
  for (let at = 0; at < glob.length; at += 1) {
    const letter = glob[at] ?? "";
    if (letter === "\\") {
      at += 1;
      if (at >= glob.length) return null;
      source += literal(glob[at] ?? "");
    } else if (glob.startsWith("**/", at)) {
      // Behind a part of a name it crosses from that name on: `secret**/key` is `secret/key` and `secrets/old/key`.
      source += at === 0 || "/{,".includes(glob[at - 1] ?? "") ? "(?:[^/]+/)*" : "(?:[^]*/)?";
      at += 2;
    } else if (glob.startsWith("**", at)) {
      source += "[^]*";
      at += 1;
    } else if (letter === "*") source += "[^/]*";
    else if (letter === "?") source += "[^/]";
    else if (letter === "{") {
      depth += 1;
      source += "(?:";
    } else if (letter === "}" && depth > 0) {
      depth -= 1;
      source += ")";
    } else if (letter === "," && depth > 0) source += "|";
    else source += literal(letter);
  }
  return depth === 0 ? source : null;
}

function literal(letter: string): string {
  return letter.replaceAll(/[$()*+./?[\\\]^{|}]/gu, String.raw`\$&`);
}
