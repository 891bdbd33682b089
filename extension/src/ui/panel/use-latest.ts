/** Of two messages the one that came last: there is one voice for both. */
import { useState } from "react";

export function useLatest(first: string, second: string): string {
  const [said, setSaid] = useState({ first, second, latest: first });
  if (said.first === first && said.second === second) return said.latest;
  const latest = said.second === second ? first : second;
  setSaid({ first, second, latest });
  return latest;
}
