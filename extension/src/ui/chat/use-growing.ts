/** A ref for a text box that grows with its text, also where the browser does not do it by itself (`field-sizing`). */
import { type RefObject, useLayoutEffect, useRef } from "react";

const GROWS = typeof CSS !== "undefined" && CSS.supports("field-sizing", "content");

export function useGrowing(value: string): RefObject<HTMLTextAreaElement | null> {
  const box = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element || GROWS) return;
    element.style.height = "auto";
    element.style.height = value === "" ? "" : `${element.scrollHeight}px`;
  }, [value]);
  return box;
}
