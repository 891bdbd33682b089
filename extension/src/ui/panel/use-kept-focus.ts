/**
 * The focus never falls to nowhere. Where what had it goes away, it goes to what stood next to it; where that can take nothing for
 * a moment, it comes back as soon as it can. What a person leaves by a press of the mouse stays left.
 */
import { useEffect } from "react";

/** Where something that came begins: what is in it is read from there, and the next stop is its first. */
const LANDING = "[data-landing]";

const STOPS = "button, a[href], input, select, textarea, [tabindex='0']";

/** Time for whoever knows a better place: a dialog that shuts, a screen that begins. */
const GRACE_MS = 50;

interface Held {
  readonly element: HTMLElement;
  /** From the nearest to the farthest. */
  readonly around: readonly Element[];
  /** The stops of the page as they were, and where among them it stood. */
  readonly stops: readonly HTMLElement[];
  readonly place: number;
  readonly landings: ReadonlySet<Element>;
}

export function useKeptFocus(): void {
  useEffect(() => {
    let held: Held | null = null;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const isNowhere = () => document.activeElement === null || document.activeElement === document.body;
    const keep = () => {
      if (held === null || !isNowhere()) return;
      if (canTake(held.element)) held.element.focus({ preventScroll: true });
      else if (!held.element.isConnected) nextTo(held)?.focus({ preventScroll: true });
    };
    const later = () => {
      if (held === null || !isNowhere()) return;
      clearTimeout(timer);
      timer = setTimeout(keep, GRACE_MS);
    };
    const onFocusIn = ({ target }: FocusEvent) => {
      held = target instanceof HTMLElement && target !== document.body ? hold(target) : null;
    };
    // Told before what had the focus is gone or flat, so the question is whether it still could have it a moment later.
    const onFocusOut = () =>
      setTimeout(() => {
        if (!isNowhere() || held === null) return;
        if (canTake(held.element)) held = null;
        else later();
      });
    const observer = new MutationObserver(later);
    observer.observe(document.body, { childList: true, subtree: true, attributes: true, attributeFilter: ["disabled"] });
    document.addEventListener("focusin", onFocusIn);
    document.addEventListener("focusout", onFocusOut);
    return () => {
      clearTimeout(timer);
      observer.disconnect();
      document.removeEventListener("focusin", onFocusIn);
      document.removeEventListener("focusout", onFocusOut);
    };
  }, []);
}

function hold(element: HTMLElement): Held {
  const stops = [...document.querySelectorAll<HTMLElement>(STOPS)];
  const around: Element[] = [];
  for (let up = element.parentElement; up !== null && up !== document.body; up = up.parentElement) around.push(up);
  return { element, around, stops, place: stops.indexOf(element), landings: new Set(document.querySelectorAll(LANDING)) };
}

/** In the smallest part of the page that is still there: where what came in its place begins, that itself, what stood after it, what stood before it. */
function nextTo({ element, around, stops, place, landings }: Held): HTMLElement | undefined {
  const known = new Set(stops);
  for (const [step, home] of around.filter(({ isConnected }) => isConnected).slice(0, -1).entries()) {
    const isHere = (stop: HTMLElement) => home.contains(stop) && canTake(stop);
    const landing = [...home.querySelectorAll<HTMLElement>(LANDING)].find((heading) => !landings.has(heading));
    if (landing !== undefined) return landing;
    const came = step === 0 ? likest(element, [...home.querySelectorAll<HTMLElement>(STOPS)].filter((stop) => !known.has(stop) && canTake(stop))) : undefined;
    const found = came ?? stops.slice(place + 1).find(isHere) ?? stops.slice(0, Math.max(0, place)).findLast(isHere);
    if (found !== undefined) return found;
  }
  return document.querySelector<HTMLElement>("[data-testid=composer-input], [data-arrival]") ?? undefined;
}

/** What was drawn anew is the same to a person; else one of the same kind, so that a key goes on meaning what it meant. */
function likest(element: HTMLElement, came: readonly HTMLElement[]): HTMLElement | undefined {
  return came.find(({ dataset }) => dataset["testid"] !== undefined && dataset["testid"] === element.dataset["testid"]) ?? came.find(({ tagName }) => tagName === element.tagName) ?? came[0];
}

/** What is marked `data-by-hand` takes the focus from a person alone: two presses of Enter in a row must not allow what nobody read. */
function canTake(element: HTMLElement): boolean {
  return element.isConnected && !element.matches(":disabled, [data-by-hand], [aria-hidden=true], [inert] *") && (element.checkVisibility?.() ?? true);
}
