/** What a file is beside its lines: a link, a submodule, a program; and permissions that are not the ordinary ones. */
import type { PlannedFile } from "../../wire/plan.ts";
import type { Catalogue } from "../text/catalogue.ts";

type Modes = Pick<PlannedFile, "executable" | "mode" | "mode_before">;

/** What most files have: saying it of each would hide what is told. */
const ORDINARY = new Set(["0644", "0664"]);

/** Null where there is nothing to say. */
export function modeWords({ executable, mode, mode_before: before }: Modes, text: Catalogue): string | null {
  const words = text.approval.files;
  const kinds: Record<string, string> = { "100644": words.ordinary, "100755": words.executable, "120000": words.link, "160000": words.submodule };
  const kindOf = (value: string | null | undefined) => (typeof value === "string" && Object.hasOwn(kinds, value) ? kinds[value] : null);
  const [old, now] = [kindOf(before), kindOf(mode)];
  if (old && now) return words.bytes(old, now);
  const kind = now ?? old;
  if (kind) return kind === words.ordinary ? null : kind;
  const permissions = typeof mode === "string" && !ORDINARY.has(mode) ? words.permissions(mode) : null;
  return [executable ? words.executable : null, permissions].filter((each) => each !== null).join(", ") || null;
}
