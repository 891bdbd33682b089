// Whether a press would reach a thing: it is there, can be pressed, stands still, and nothing lies over it.

/** The thing's handle when a press in its middle would reach it, else null. `place` from 0, or -1 for the last. `block`: where it is scrolled to. */
export async function pressable(page, selector, { place = 0, block = "nearest" } = {}) {
  const handle = await page.evaluateHandle(reachable, selector, place, block);
  const element = handle.asElement();
  if (element === null) await handle.dispose();
  return element;
}

/** Runs in the page. */
async function reachable(selector, place, block) {
  // What came or moved a moment ago takes no press yet.
  const settles = (element) => element.closest("[data-stirred], [data-testid=question-card][data-armed=false]") !== null;
  const find = () => [...document.querySelectorAll(selector)].at(place);
  const element = find();
  if (element === undefined || element.disabled === true) return null;
  element.scrollIntoView({ block });
  const where = () => {
    const { left, top, width, height } = element.getBoundingClientRect();
    return [left + width / 2, top + height / 2].map(Math.round);
  };
  // A page that is not in front draws nothing: there a pause has to do.
  const picture = () =>
    new Promise((resolve) => {
      requestAnimationFrame(() => setTimeout(resolve));
      setTimeout(resolve, 100);
    });
  const before = where();
  await picture();
  await picture();
  const after = where();
  if (before.join() !== after.join() || find() !== element || element.disabled === true || settles(element)) return null;
  const hit = document.elementFromPoint(...after);
  return hit !== null && (element.contains(hit) || hit.contains(element)) ? element : null;
}
