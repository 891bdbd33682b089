// Firefox's own sidebar, which stands in no driver's tree: opened by the toolbar's button, read through the add-on's own pages, and
// worked with by events that begin where the person's do, in the browser's window.
import { waitUntil } from "./wait.mjs";

const BUTTON = "outrigger_outrigger_dev-browser-action";
/** Runs in a page of the add-on: the sidebar's window, or nothing. */
const VIEW = "browser.extension.getViews({ type: 'sidebar' })[0]";
/** Runs in the browser's window: where the add-on's page begins in it. */
const ORIGIN = "(() => { const box = document.getElementById('sidebar'); const outer = box.getBoundingClientRect(); const inner = box.contentDocument.getElementById('webext-panels-browser').getBoundingClientRect(); return { x: outer.x + inner.x, y: outer.y + inner.y }; })()";

export class Sidebar {
  /** `helper`: any page of the add-on, whose tab need not be in front. */
  constructor(firefox, helper) {
    this.firefox = firefox;
    this.helper = helper;
  }

  async inWindow(expression) {
    const [answer] = await this.firefox.inWindows(expression);
    return answer;
  }

  /** Presses the button in the toolbar, where it was put as a person would put it there. */
  async toggle() {
    await this.inWindow(`(() => { if (CustomizableUI.getPlacementOfWidget("${BUTTON}")?.area !== CustomizableUI.AREA_NAVBAR) CustomizableUI.addWidgetToArea("${BUTTON}", CustomizableUI.AREA_NAVBAR); document.querySelector("#${BUTTON} toolbarbutton").doCommand(); })()`);
  }

  isOpen() {
    return this.inWindow("SidebarController.isOpen");
  }

  hide() {
    return this.inWindow("SidebarController.hide()");
  }

  /** As the person drags its edge. */
  async widen(width) {
    await this.inWindow(`(() => { SidebarController._box.style.minWidth = "0"; SidebarController._box.style.width = "${width}px"; })()`);
    await this.until(`a width of ${width}`, (view) => view.innerWidth, (found) => found === width);
  }

  /** What `look` finds in the sidebar's window; null while it is shut. */
  evaluate(look, ...given) {
    return this.helper.evaluate(`(() => { const view = ${VIEW}; return view === undefined ? null : (${look})(view, ...${JSON.stringify(given)}); })()`);
  }

  async until(what, look, is = (found) => Boolean(found), { timeoutMs = 60_000, given = [] } = {}) {
    return waitUntil(what, async () => {
      const found = await this.evaluate(look, ...given);
      return found !== null && is(found) ? { found } : null;
    }, { timeoutMs, describe: () => this.words() });
  }

  words() {
    return this.evaluate((view) => view.document.body.innerText);
  }

  count(testId) {
    return this.evaluate((view, name) => view.document.querySelectorAll(`[data-testid="${name}"]`).length, testId);
  }

  async see(testId) {
    await this.until(`\`${testId}\` in the sidebar`, (view, name) => view.document.querySelector(`[data-testid="${name}"]`) !== null, undefined, { given: [testId] });
  }

  /** A press of the mouse where the thing is, on the window the person sees. */
  async click(testId) {
    await this.until(`\`${testId}\` to take a press`, (view, name) => {
      const control = view.document.querySelector(`[data-testid="${name}"]`);
      return control !== null && !control.matches(":disabled");
    }, undefined, { given: [testId] });
    const place = await this.evaluate((view, name) => {
      const control = view.document.querySelector(`[data-testid="${name}"]`);
      control.scrollIntoView({ block: "nearest" });
      const box = control.getBoundingClientRect();
      return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    }, testId);
    await this.inWindow(`(() => { const from = ${ORIGIN}; for (const type of ["mousemove", "mousedown", "mouseup"]) window.synthesizeMouseEvent(type, from.x + ${place.x}, from.y + ${place.y}, { button: 0, clickCount: 1 }, {}); })()`);
  }

  /** Keys of the keyboard, one after the other; the window decides who gets them. */
  async press(...keys) {
    const strokes = keys.map((key) => ({ key, code: key === " " ? "Space" : key.length === 1 ? `Key${key.toUpperCase()}` : key, keyCode: CODES[key] ?? key.toUpperCase().codePointAt(0) }));
    await this.inWindow(`(() => { const tip = Cc["@mozilla.org/text-input-processor;1"].createInstance(Ci.nsITextInputProcessor); tip.beginInputTransactionForTests(window); for (const stroke of ${JSON.stringify(strokes)}) { const event = new KeyboardEvent("", stroke); tip.keydown(event); tip.keyup(event); } })()`);
  }

  async type(words) {
    await this.press(...words);
  }
}

const CODES = { Enter: 13, Tab: 9, Escape: 27, " ": 32, F6: 117 };
