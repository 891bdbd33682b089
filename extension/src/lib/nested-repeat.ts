// Whether a regular expression repeats what repeats: such a one may take longer than anyone lives on a short text.

/** `(a+)+`, `(?:x*y)*`, `(a{2,}){3}`; not `(a+)?`. */
export function hasNestedRepeat(pattern: string): boolean {
  const groups: { repeats: boolean }[] = [{ repeats: false }];
  let isClass = false;
  for (let place = 0; place < pattern.length; place += 1) {
    const char = pattern[place];
    if (char === "\\") place += 1;
    else if (isClass) isClass = char !== "]";
    else if (char === "[") isClass = true;
    else if (char === "(") groups.push({ repeats: false });
    else if (char === ")") {
      const group = groups.length > 1 ? groups.pop() : undefined;
      const isRepeated = REPEAT.test(pattern.slice(place + 1));
      if (group?.repeats === true && isRepeated) return true;
      const outer = groups.at(-1);
      if (outer !== undefined) outer.repeats ||= group?.repeats === true || isRepeated;
    } else if (REPEAT.test(pattern.slice(place))) {
      const group = groups.at(-1);
      if (group !== undefined) group.repeats = true;
    }
  }
  return false;
}

const REPEAT = /^(?:[*+]|\{\d+(?:,\d*)?\})/;
