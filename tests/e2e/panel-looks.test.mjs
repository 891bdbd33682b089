// What must hold of every state of the panel, whoever looks at it: nothing is wider than the window, at twice the size and in German
// too, and where lines begin at the right; axe finds nothing in either theme; forced colours and stillness are kept; all is reached by Tab.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { coverOfFocus } from "./lib/covered.mjs";
import { Gallery } from "./lib/gallery.mjs";
import { requireFromExtension } from "./lib/places.mjs";

const BROWSERS = (process.env.LOOKS_BROWSERS ?? "chromium").split(",");
const AXE = readFileSync(requireFromExtension.resolve("axe-core/axe.min.js"), "utf8");

/** Each screen, in the states that have most on them. */
const MAIN = [
  "receipts", "welcome", "first-nothing", "first-folder", "first-model", "answer", "tool-states", "failed", "approve-hunks", "approve-command", "approve-group", "approve-remember", "approve-lease", "approve-note", "question-active", "queue", "undo-conflict",
  "tree", "palette", "context-sheet", "context-cost", "context-prompt", "side", "keys", "menu-turn", "menu-model", "changes", "changes-partly", "changes-conflict", "terminal", "history", "history-filter", "history-found", "history-deleted", "history-empty", "connection", "connection-doctor", "settings", "settings-models", "settings-model-new", "settings-profiles", "settings-profile",
  "settings-workspaces", "settings-rules", "settings-rule-new", "settings-schedules", "settings-schedule", "settings-limits", "settings-usage", "settings-alerts", "settings-data", "settings-look", "storage-full", "storage-full-at-start",
];

/** `LOOKS=axe,Tab` are those parts alone. */
const wanted = process.env.LOOKS?.split(",") ?? [""];
const part = (t, title, run) => (wanted.some((word) => title.includes(word)) ? t.test(title, run) : undefined);

for (const name of BROWSERS) {
  test(`${name}: every state of the panel fits, is read, and is reached`, { timeout: 1_800_000 }, async (t) => {
    const gallery = await Gallery.open(name);
    try {
      const page = await gallery.page();
      const scenes = await gallery.scenes(page);
      for (const main of MAIN) assert.ok(scenes.includes(main), `no scene ${main}`);

      for (const [what, { width, height, every = false, ...how }] of [
        ["in German at 360 pixels", { width: 360, height: 700, lang: "de", every: true }],
        ["at twice the size", { width: 180, height: 350 }],
        ["from right to left", { width: 360, height: 700, dir: "rtl" }],
        ["beside its list, in Chinese", { width: 1200, height: 700, lang: "zh" }],
      ]) {
        await part(t, `nothing is cut off ${what}`, async () => {
          const sized = await gallery.page({ width, height });
          const wide = [];
          for (const scene of every ? scenes : MAIN) {
            await gallery.show(sized, scene, how);
            for (const each of await sized.evaluate(beyond)) wide.push(`${scene}: ${each}`);
          }
          await sized.close();
          assert.deepEqual(wide, []);
        });
      }

      await part(t, "at twice the size a notice leaves room for the message box, and its button can be reached", async () => {
        const wrong = [];
        const sized = await gallery.page({ width: 180, height: 350 });
        for (const [scene, box] of [["storage-full", "composer-input"], ["storage-full-at-start", "storage-retry"]]) {
          for (const lang of ["en", "de", "zh"]) {
            await gallery.show(sized, scene, { lang });
            const seen = await sized.evaluate((needed) => {
              const isWhole = (name) => {
                const { top, bottom, height } = document.querySelector(`[data-testid=${name}]`).getBoundingClientRect();
                return height > 0 && top >= 0 && bottom <= innerHeight;
              };
              const before = isWhole(needed);
              document.querySelector("[data-testid=storage-retry]").focus();
              return { before, after: isWhole("storage-retry") };
            }, box);
            if (!(seen.before || box === "storage-retry") || !seen.after) wrong.push(`${scene}, ${lang}: ${JSON.stringify(seen)}`);
          }
        }
        await sized.close();
        assert.deepEqual(wrong, []);
      });

      for (const theme of ["light", "dark"]) {
        await part(t, `axe finds nothing, ${theme}`, async () => {
          const found = [];
          for (const scene of MAIN) {
            await gallery.show(page, scene, { theme });
            await page.evaluate(AXE);
            // An open menu stands beside the landmarks for as long as it is open; its items are named and have their role.
            const rules = scene.startsWith("menu-") ? { region: { enabled: false } } : {};
            const violations = await page.evaluate(async (chosen) => (await globalThis.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"], rules: chosen })).violations.map(({ id, nodes }) => `${id}: ${nodes[0].html.slice(0, 140)}`), rules);
            found.push(...violations.map((each) => `${scene}: ${each}`));
          }
          assert.deepEqual(found, []);
        });
      }

      await part(t, "every control is reached by Tab, seen, and marked where the focus is", async () => {
        const wrong = [];
        for (const scene of MAIN) {
          // A page of its own: in Firefox the last Tab took the focus to the browser's frame, and no driver can give it back.
          const fresh = await gallery.page();
          await gallery.show(fresh, scene);
          for (const each of await tabThrough(fresh)) wrong.push(`${scene}: ${each}`);
          await fresh.close();
        }
        assert.deepEqual(wrong, []);
      });

      // Firefox tells a driver no wish of the system; the styles are the same there.
      if (name !== "chromium") return;
      await part(t, "forced colours: what is chosen and where the focus is can be told; nothing moves where stillness is wished", async () => {
        const cdp = await page.createCDPSession();
        await cdp.send("Emulation.setEmulatedMedia", { features: [{ name: "forced-colors", value: "active" }, { name: "prefers-reduced-motion", value: "reduce" }] });
        const wrong = [];
        for (const theme of ["light", "dark"]) {
          for (const scene of [...MAIN, "thinking", "connecting", "command-runs"]) {
            await gallery.show(page, scene, { theme });
            for (const each of await page.evaluate(forced)) wrong.push(`${scene}, ${theme}: ${each}`);
          }
        }
        assert.deepEqual(wrong, []);
      });
    } finally {
      await gallery.close();
    }
  });
}

/** Runs in the page: what reaches beyond the window, with no box around it that scrolls or cuts on purpose. */
function beyond() {
  const limit = document.documentElement.clientWidth + 1;
  const isCut = (element) => {
    for (let up = element.parentElement; up !== null && up !== document.body; up = up.parentElement) {
      if (/(auto|scroll)/.test(getComputedStyle(up).overflowX) || up.matches(".truncate, .sr-only")) return true;
    }
    return false;
  };
  const named = (element) => `${element.tagName.toLowerCase()} ${element.closest("[data-testid]")?.dataset.testid ?? ""} “${element.textContent.slice(0, 40)}”`;
  const all = [...document.querySelectorAll("body *")].filter((element) => !element.matches(".sr-only, .sr-only *"));
  const out = all.filter((element) => {
    const box = element.getBoundingClientRect();
    return box.width > 0 && (box.right > limit || box.left < -1) && !isCut(element);
  });
  // The words of a button are whole.
  const cut = all.filter((element) => element.matches("button:not(.truncate, [class*=truncate])") && !element.querySelector(".truncate") && element.scrollWidth > element.clientWidth + 1);
  // So is what a menu of ours says of each thing in it. At twice the size there is room for its name alone.
  const hints = limit > 320 ? all.filter((element) => element.matches("[data-testid=palette-option] .truncate") && element.scrollWidth > element.clientWidth + 1) : [];
  return [...out, ...cut, ...hints].slice(0, 3).map(named);
}

/** From the top through all stops: what is passed over, out of sight, or bears no mark. */
async function tabThrough(page) {
  const MOST = 90;
  await page.evaluate(() => {
    globalThis.stops = new Set();
    if (document.querySelector("[role=dialog], [role=menu], [role=listbox]") === null) document.activeElement?.blur?.();
  });
  const wrong = (await page.evaluate(() => document.hasFocus())) ? [] : ["the page has not the focus, so no mark can be judged"];
  let ends = 0;
  for (let stop = 0; stop < MOST; stop += 1) {
    const found = await page.evaluate(async (isFirst) => {
      // A guard of a dialog hands the focus on, in its own time: the next key belongs to where that leads.
      for (let wait = 0; wait < 100 && document.activeElement?.hasAttribute("data-base-ui-focus-guard"); wait += 1) await new Promise((resolve) => setTimeout(resolve, 10));
      const { activeElement: element } = document;
      // Behind the last stop comes the browser's own frame, then the first one; it began somewhere between.
      if (element === null || element === document.body) return { end: false, frame: true };
      if (globalThis.stops.has(element)) return { end: true };
      globalThis.stops.add(element);
      // What had the focus before the first key was given it by a press of the mouse.
      if (isFirst) return { end: false };
      const box = element.getBoundingClientRect();
      const label = `${element.tagName.toLowerCase()} ${element.dataset.testid ?? element.getAttribute("aria-label") ?? element.textContent.slice(0, 30)}`;
      // A guard that kept it.
      if (element.hasAttribute("data-base-ui-focus-guard") || (box.width <= 1 && !element.matches("input"))) return { end: false };
      if (element.matches("input.sr-only")) return { end: false, problem: !document.hasFocus() || element.closest("label")?.matches(":has(:focus-visible)") ? null : `${label} bears no mark` };
      const seen = box.bottom > 0 && box.top < innerHeight;
      const style = getComputedStyle(element);
      // Firefox's own frame keeps the focus once it has it: Tab goes on through the page, and nothing there is `:focus` any more.
      const marked = !document.hasFocus() || (style.outlineStyle !== "none" && Number.parseFloat(style.outlineWidth) > 0) || element.matches("textarea, input, select, [role=menu], [role=listbox], [role=dialog], [data-highlighted]");
      return { end: false, problem: seen ? (marked ? null : `${label} bears no mark`) : `${label} is out of sight` };
    }, stop === 0);
    const cover = found.end || stop === 0 ? null : await page.evaluate(coverOfFocus);
    for (const problem of [found.problem, cover]) if (problem) wrong.push(problem);
    if (found.frame) ends += 1;
    if (found.end || ends > 2) break;
    await page.keyboard.press("Tab");
  }
  const missed = await page.evaluate(() => {
    const dialog = document.querySelector("[role=dialog]");
    // Of a menu one item is a stop and arrows go on; so is it with a group of radio buttons.
    if (document.querySelector("[role=menu], [role=listbox]") !== null) return [];
    const within = dialog ?? document;
    const reached = new Set([...globalThis.stops].map((stop) => (stop.matches("input[type=radio]") ? stop.name : stop)));
    return [...within.querySelectorAll("button, a[href], input, select, textarea")]
      .filter((control) => !control.matches(":disabled, [tabindex='-1'], [hidden], [aria-hidden=true], [aria-hidden=true] *, [inert] *") && control.getClientRects().length > 0)
      .filter((control) => !reached.has(control.matches("input[type=radio]") ? control.name : control))
      .map((control) => `Tab passes over ${control.dataset.testid ?? control.getAttribute("aria-label") ?? control.textContent.slice(0, 30)}`);
  });
  return [...wrong, ...missed].slice(0, 4);
}

/** Runs in the page, where colours are forced and stillness is wished. */
function forced() {
  const wrong = document.getAnimations().filter((animation) => animation.playState === "running").map((animation) => `${animation.effect.target.className} moves`);
  if (!matchMedia("(forced-colors: active)").matches) wrong.push("colours are not forced");
  const hasEdge = (style) => ["Top", "Right", "Bottom", "Left"].some((side) => style[`border${side}Style`] !== "none" && Number.parseFloat(style[`border${side}Width`]) > 0);
  for (const chosen of document.querySelectorAll("[data-chosen=true]")) {
    const style = getComputedStyle(chosen);
    if (style.outlineStyle === "none" && !hasEdge(style)) wrong.push(`that ${chosen.textContent.slice(0, 20)} is chosen cannot be told`);
  }
  for (const wash of document.querySelectorAll("[data-wash]")) if (!hasEdge(getComputedStyle(wash))) wrong.push(`${wash.textContent.slice(0, 20)} has no edge`);
  const differs = (element, what) => {
    const style = getComputedStyle(element);
    if (style.outlineStyle === "none" && !hasEdge(style)) wrong.push(`${what} ${element.textContent.slice(0, 20) || element.getAttribute("aria-label")} cannot be told`);
  };
  for (const element of document.querySelectorAll("[aria-pressed=true], [aria-current=true]")) differs(element, "what is shown now,");
  for (const element of document.querySelectorAll("[data-highlighted], [role=option][aria-selected=true]")) differs(element, "where the keys are,");
  const ground = getComputedStyle(document.body).backgroundColor;
  for (const button of document.querySelectorAll("[data-weight=primary]:not(:disabled)")) if (getComputedStyle(button).backgroundColor === ground) wrong.push(`${button.textContent} looks as any button`);
  for (const bar of document.querySelectorAll("[data-bar]")) if (getComputedStyle(bar).backgroundColor === ground) wrong.push("a bar is lost");
  // An icon has the colour of what stands beside it: ours is chosen for our grounds.
  for (const icon of document.querySelectorAll("svg")) if (getComputedStyle(icon).color !== getComputedStyle(icon.parentElement).color) wrong.push(`the icon ${icon.getAttribute("class")} has a colour of its own`);
  for (const line of document.querySelectorAll("[data-line=added], [data-line=removed]")) if (!/[-+]/.test(line.textContent)) wrong.push("a changed line bears no sign");
  return wrong.slice(0, 3);
}
