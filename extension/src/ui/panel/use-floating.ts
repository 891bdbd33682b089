/**
 * Keeps what floats over a screen off the things that must be reached. Nothing moves to make room for it: where something to press
 * comes to stand under it, it goes away from there itself; what asks for permission at once, all else when it has come to rest.
 */
import { type RefObject, useEffect, useLayoutEffect } from "react";
import { freePlace, overlaps, type Span } from "./free-place.ts";

/** The answers of a card. They are never covered. */
const ANSWERS = "[data-testid=approval-allow], [data-testid=approval-deny]";
/** What belongs to them: what is asked, and how far the answer reaches. */
const CARDS = "[data-keep-clear]";
const CONTROLS = "button, a[href], input, select, textarea, summary, label";

/** Longer than a pause between two turns of a wheel: what floats does not hop along. */
const REST_MS = 200;

/** Where there is no other place it stands over the panel's head. */
const EDGE_PX = 4;

/** `count`: how many receipts stand there. `room`: the element they float over. */
export function useFloating(bar: RefObject<HTMLElement | null>, count: number, room: () => Element | null): void {
  useLayoutEffect(() => {
    if (count > 0) settle(bar.current, room(), true);
  });
  useEffect(() => {
    if (count === 0) return;
    let frame = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = () => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => settle(bar.current, room(), false));
      clearTimeout(timer);
      timer = setTimeout(() => settle(bar.current, room(), true), REST_MS);
    };
    const observer = new MutationObserver(look);
    observer.observe(document.body, { childList: true, subtree: true });
    // It grows under the hand.
    const sizes = typeof ResizeObserver === "undefined" ? null : new ResizeObserver(look);
    if (bar.current) sizes?.observe(bar.current);
    document.addEventListener("scroll", look, { capture: true, passive: true });
    document.addEventListener("focusin", look);
    window.addEventListener("resize", look);
    // A hand that leaves it lets it go.
    document.addEventListener("pointerout", look, { passive: true });
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
      observer.disconnect();
      sizes?.disconnect();
      document.removeEventListener("scroll", look, { capture: true });
      document.removeEventListener("focusin", look);
      window.removeEventListener("resize", look);
      document.removeEventListener("pointerout", look);
    };
  }, [bar, count, room]);
}

function settle(bar: HTMLElement | null, room: Element | null, atRest: boolean): void {
  if (bar === null || room === null) return;
  const box = bar.getBoundingClientRect();
  if (box.height === 0) return;
  const lift = Number(bar.dataset["lift"] ?? 0);
  const bounds = { top: room.getBoundingClientRect().top + EDGE_PX, bottom: box.bottom + lift };
  const others = (selector: string) => [...room.querySelectorAll(selector)].filter((element) => !bar.contains(element));
  const spans = (elements: readonly Element[]) => elements.flatMap((element) => within(element.getBoundingClientRect(), bounds));
  const focused = others(":focus").filter((element) => element.matches(CONTROLS));
  const first = spans(others(ANSWERS));
  const second = spans([...others(CARDS), ...focused]);
  const covers = (set: readonly Span[]) => set.some((span) => overlaps(box, span));
  // What a person is about to press stays under their hand, unless it stands in the way of an answer.
  const isHeld = bar.querySelector("[data-held]") !== null;
  const controls = atRest && !isHeld ? spans(others(CONTROLS)) : [];
  if (!covers(first) && !(covers(second) && !isHeld) && !covers(controls)) return;
  const place = freePlace({ height: box.height, room: bounds, clear: [first, second, controls] });
  const next = Math.round(bounds.bottom - (place?.bottom ?? EDGE_PX + box.height));
  if (next === lift) return;
  bar.dataset["lift"] = String(next);
  bar.style.translate = `0 ${-next}px`;
}

/** What of it is in sight; what is scrolled away covers nothing. */
function within({ top, bottom }: DOMRect, room: Span): readonly Span[] {
  const span = { top: Math.max(top, room.top), bottom: Math.min(bottom, room.bottom) };
  return span.top < span.bottom ? [span] : [];
}
