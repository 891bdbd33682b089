/** Code in its colours, once the highlighter is there; plain before, and for languages it does not know. Nothing hides in either. */
import { startTransition, useEffect, useMemo, useState } from "react";
import { classNames } from "../common/class-names.ts";
import { VisibleText } from "../common/visible-text.tsx";
import { type CodeKind, highlightNow, loadHighlight } from "./highlight.ts";

const look: Record<CodeKind, string> = { comment: "text-soft italic", string: "text-good", keyword: "text-accent", value: "text-warn" };

/** Longer than the pauses of a stream, shorter than a person waits for colour. */
const CALM_MS = 300;

export function CodeWords({ code, language }: { code: string; language: string }) {
  const [isLoaded, setLoaded] = useState(highlightNow() !== null);
  useEffect(() => {
    let isCurrent = true;
    if (!isLoaded) void loadHighlight().then(() => isCurrent && setLoaded(true));
    return () => {
      isCurrent = false;
    };
  }, [isLoaded]);
  // Code that still grows is drawn plain: colouring all of it again for every word would hold up the typing.
  const [calm, setCalm] = useState(code);
  useEffect(() => {
    if (calm === code) return;
    const timer = setTimeout(() => startTransition(() => setCalm(code)), CALM_MS);
    return () => clearTimeout(timer);
  }, [calm, code]);
  const isCalm = calm === code;
  const pieces = useMemo(() => (isLoaded && isCalm ? (highlightNow()?.(code, language) ?? null) : null), [isLoaded, isCalm, code, language]);
  if (pieces === null) return <VisibleText value={code} />;
  return pieces.map((piece) => (piece.kind === null ? <VisibleText key={piece.at} value={piece.text} /> : <span key={piece.at} className={classNames(look[piece.kind])}><VisibleText value={piece.text} /></span>));
}
