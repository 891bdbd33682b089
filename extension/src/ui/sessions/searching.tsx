/** A search that takes its time says so; one that is there at once shows nothing in between. */
import { useEffect, useState } from "react";
import { Spinner } from "../common/spinner.tsx";
import { useText } from "../text/use-text.ts";

/** A person has begun to wonder. */
const LONG_MS = 400;

export function Searching() {
  const text = useText();
  const [isLong, setLong] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLong(true), LONG_MS);
    return () => clearTimeout(timer);
  }, []);
  return <div className="flex-1">{isLong && <p data-testid="searching" className="flex items-center gap-2 px-4 py-2 text-xs text-soft"><Spinner size={12} />{text.work.looking}</p>}</div>;
}
