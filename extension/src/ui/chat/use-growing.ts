/** A ref for a text box that grows with its text, also where the browser does not do it by itself (`field-sizing`). */
import { type RefObject, useLayoutEffect, useRef } from "react";

export function useGrowing(value: string): RefObject<HTMLTextAreaElement | null> {
  const box = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element || CSS.supports("field-sizing", "content")) return;
    element.style.height = "auto";
    element.style.height = value === "" ? "" : `${element.scrollHeight}px`;
  }, [value]);
  return box;
}
