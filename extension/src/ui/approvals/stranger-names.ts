/** Whose text is in a conversation, in the reader's words: hosts are called by their names, a file by what it is. */
import { IMPORTED_FILE } from "../../agent/imported-file.ts";
import { workspaceOf } from "../../agent/stranger-files.ts";
import type { Catalogue } from "../text/catalogue.ts";

/** `names` as the engine lists them: no host's name has a comma or a space. */
export function strangerNames(names: string, text: Catalogue): string {
  const shown = names.split(", ").map((name) => {
    const workspace = workspaceOf(name);
    return name === IMPORTED_FILE ? text.cards.importedFile : workspace === null ? name : text.cards.filesOf(workspace);
  });
  return shown.join(", ");
}
