/**
 * Runs in the page: what stands over the whole of what has the focus, and hides it; null where it can be seen.
 * What floats goes away from there with the next picture, or once all has come to rest: it has a second for that.
 */
export async function coverOfFocus() {
  let cover = null;
  for (let looks = 0; looks < 50; looks += 1) {
    cover = coverNow();
    if (cover === null) return null;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return cover;

  function coverNow() {
    const { activeElement } = document;
    // Where the browser's own frame has the focus, the page is not told where it goes.
    if (activeElement === null || activeElement === document.body || !document.hasFocus()) return null;
    const shown = activeElement.matches("input.sr-only") ? (activeElement.closest("label") ?? activeElement) : activeElement;
    const { left, top, width, height } = shown.getBoundingClientRect();
    const over = [0.03, 0.5, 0.97].flatMap((across) => [0.1, 0.5, 0.9].map((down) => document.elementFromPoint(left + width * across, top + height * down))).filter((each) => each !== null);
    const isCovered = over.length > 0 && over.every((at) => !shown.contains(at) && !at.contains(shown));
    return isCovered ? `${activeElement.dataset.testid ?? activeElement.textContent.slice(0, 30)} is covered by ${over[0].outerHTML.slice(0, 80)}` : null;
  }
}
