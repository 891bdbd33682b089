/**
 * Takes a press that was on its way when a control came to stand under it by itself: a row that another one's going moved, Send where
 * Stop stood a moment ago, the Undo of a newer receipt. The hand meant what stood there before. A key is aimed at no place, and counts.
 * What merely moves, to where no other of these stood, is still what the hand went for.
 */
import { type ComponentProps, type MouseEvent, type RefObject, useEffect, useRef } from "react";
import { useSteady } from "./use-steady.ts";

/** Above the time between noticing a change and a finger that is already moving. */
const STILL_MS = 300;

/** Rounding moves things by less. */
const MOVED_PX = 1;

/** On what takes no press yet, for whoever drives the panel by script. */
const STIRRED = "data-stirred";

const CONTROLS = "button, input, a[href]";

interface StillProps extends Omit<ComponentProps<"div">, "ref"> {
  box?: RefObject<HTMLDivElement | null>;
  /** It stands over something else: what is new or has moved takes nothing for its moment, whatever of these stood there before. */
  readonly floats?: boolean;
  /** It comes at the end of something that grows by itself: what is new takes nothing for its moment. What moves with all the rest does. */
  readonly arrives?: boolean;
}

export function Still({ box, floats = false, arrives = false, children, ...rest }: StillProps) {
  const own = useRef<HTMLDivElement>(null);
  const root = box ?? own;
  const known = useRef(new Map<Element, DOMRect>());
  const until = useRef(new WeakMap<Element, number>());
  const stir = (control: Element) => {
    until.current.set(control, performance.now() + STILL_MS);
    // Nobody sees it: no button changes its face while one reaches for it.
    control.setAttribute(STIRRED, "");
    setTimeout(() => performance.now() >= (until.current.get(control) ?? 0) - 1 && control.removeAttribute(STIRRED), STILL_MS);
  };
  const look = useSteady((isByHand: boolean) => {
    const before = known.current;
    const now = new Map([...(root.current?.querySelectorAll(CONTROLS) ?? [])].map((control) => [control, control.getBoundingClientRect()]));
    known.current = now;
    if (isByHand) return;
    for (const [control, place] of now) {
      const old = before.get(control);
      const wasAnothers = () => [...before].some(([other, there]) => other !== control && touches(there, place));
      const isStirred = old ? isMoved(old, place) && (floats || (!arrives && wasAnothers())) : floats || arrives || wasAnothers();
      if (isStirred) stir(control);
    }
  });
  useEffect(() => {
    const { current: element } = root;
    if (!element || typeof ResizeObserver === "undefined") return;
    look(!floats && !arrives);
    let frame = 0;
    const soon = () => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => look(false));
    };
    const parts = new MutationObserver(soon);
    parts.observe(element, { childList: true, subtree: true });
    // What comes and goes beside it takes its room from the conversation.
    const sizes = new ResizeObserver(() => look(false));
    const log = document.querySelector("[role=log]");
    for (const each of log ? [element, log] : [element]) sizes.observe(each);
    const onScroll = () => look(true);
    element.addEventListener("scroll", onScroll, { capture: true, passive: true });
    return () => {
      cancelAnimationFrame(frame);
      parts.disconnect();
      sizes.disconnect();
      element.removeEventListener("scroll", onScroll, { capture: true });
    };
  }, [look, floats, arrives, root]);
  const onClickCapture = (event: MouseEvent) => {
    // A click that a key makes has no count.
    if (event.detail === 0) return;
    look(false);
    const control = (event.target as Element).closest(CONTROLS);
    if (!control || performance.now() >= (until.current.get(control) ?? 0)) return;
    event.preventDefault();
    event.stopPropagation();
  };
  // oxlint-disable-next-line jsx-a11y/no-static-element-interactions, jsx-a11y/click-events-have-key-events -- nothing is done by it: it keeps a press from what moved.
  return <div ref={root} onClickCapture={onClickCapture} {...rest}>{children}</div>;
}

function isMoved(before: DOMRect, now: DOMRect): boolean {
  return Math.abs(before.top - now.top) > MOVED_PX || Math.abs(before.left - now.left) > MOVED_PX;
}

function touches(one: DOMRect, other: DOMRect): boolean {
  return one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
}
