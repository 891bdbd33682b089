// The difference of two short texts, line by line, in hunks as the host makes them. For texts a person wrote: not for files.

export interface LineHunk {
  readonly id: string;
  readonly old_start: number;
  readonly old_lines: number;
  readonly new_start: number;
  readonly new_lines: number;
  readonly lines: string[];
}

/** One hunk with everything in it: what is shown is short, and all of it should be seen. Empty where nothing differs. */
export function lineHunks(before: string, after: string): LineHunk[] {
  if (before === after) return [];
  const old = linesOf(before);
  const now = linesOf(after);
  const lines = diff(old, now);
  return [{ id: "h1", old_start: old.length === 0 ? 0 : 1, old_lines: old.length, new_start: now.length === 0 ? 0 : 1, new_lines: now.length, lines }];
}

function linesOf(text: string): readonly string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}

/** By the longest common row of lines. */
function diff(old: readonly string[], now: readonly string[]): string[] {
  const common = Array.from({ length: old.length + 1 }, () => new Uint16Array(now.length + 1));
  const at = (left: number, right: number) => common[left]?.[right] ?? 0;
  for (let left = old.length - 1; left >= 0; left -= 1) {
    for (let right = now.length - 1; right >= 0; right -= 1) {
      const row = common[left];
      if (row !== undefined) row[right] = old[left] === now[right] ? at(left + 1, right + 1) + 1 : Math.max(at(left + 1, right), at(left, right + 1));
    }
  }
  const lines: string[] = [];
  let left = 0;
  let right = 0;
  while (left < old.length || right < now.length) {
    if (left < old.length && right < now.length && old[left] === now[right]) {
      lines.push(` ${old[left]}`);
      left += 1;
      right += 1;
    } else if (left < old.length && (right >= now.length || at(left + 1, right) >= at(left, right + 1))) {
      lines.push(`-${old[left]}`);
      left += 1;
    } else {
      lines.push(`+${now[right]}`);
      right += 1;
    }
  }
  return lines;
}
